"""A client of Carillon, the notification centre beside your application."""

from .client import Carillon, CarillonError
from .signing import InvalidReceipt, InvalidWebhook, user_token, verify_receipt, verify_webhook

__all__ = [
    "Carillon",
    "CarillonError",
    "InvalidReceipt",
    "InvalidWebhook",
    "user_token",
    "verify_receipt",
    "verify_webhook",
]
