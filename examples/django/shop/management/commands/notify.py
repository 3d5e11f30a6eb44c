from carillon import Carillon
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Notifies a user of an order, by a call of Carillon."

    def add_arguments(self, parser):
        parser.add_argument("user")
        parser.add_argument("title")
        parser.add_argument("link")

    def handle(self, user, title, link, **options):
        sent = Carillon().send({"target": {"users": [user]}, "type": "order", "title": title, "link": link})
        self.stdout.write(f"notice {sent['id']}")
