from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from shop.outbox import notify


class Command(BaseCommand):
    help = "Sends an order on its way, once, and notifies its user. Nothing here calls Carillon."

    def add_arguments(self, parser):
        parser.add_argument("number", type=int)
        parser.add_argument("--user", default="2")
        parser.add_argument("--lost", action="store_true", help="the parcel is lost before the transaction commits")

    def handle(self, number, user, lost, **options):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO shop_sent (number) VALUES (%s)", [number])
            notify(target={"users": [user]}, type="order", subject=f"order:{number}", title=f"Order {number} is on its way", link=f"/orders/{number}")
            if lost:
                raise CommandError(f"order {number} is lost")
