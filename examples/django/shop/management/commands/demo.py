from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Makes the database, with two users: ann is staff, ben is not. Their password is harbour."

    def handle(self, **options):
        call_command("migrate", verbosity=0)
        for name, full, staff in [("ann", "Ann Archer", True), ("ben", "Ben Brook", False)]:
            if not User.objects.filter(username=name).exists():
                first, last = full.split()
                User.objects.create_user(name, password="harbour", first_name=first, last_name=last, is_staff=staff)
