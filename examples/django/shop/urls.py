from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from shop import views
from shop.carillon import carillon_token

urlpatterns = [
    path("", views.orders),
    path("orders/<int:number>", views.order),
    path("messages", views.messages),
    path("login", LoginView.as_view(template_name="login.html")),
    path("logout", LogoutView.as_view()),
    path("carillon/token", carillon_token),
    path("whoami", views.whoami),
]
