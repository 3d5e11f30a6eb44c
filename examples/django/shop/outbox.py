import json

from django.db import connection


def notify(**notice):
    """Sends a notice with the transaction that is open: if it commits, and not otherwise."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO carillon_outbox (payload) VALUES (%s)", [json.dumps(notice)])
