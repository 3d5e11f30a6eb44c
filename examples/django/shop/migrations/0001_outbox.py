# The output of: carillon outbox schema --dialect sqlite. With PostgreSQL or MySQL it is that of their dialect.
from django.db import migrations

TABLE = """
CREATE TABLE IF NOT EXISTS carillon_outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    payload    TEXT NOT NULL,
    error      TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
)
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.RunSQL(TABLE, "DROP TABLE carillon_outbox"),
        migrations.RunSQL("CREATE TABLE shop_sent (number INTEGER PRIMARY KEY)", "DROP TABLE shop_sent"),
    ]
