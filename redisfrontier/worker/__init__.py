"""The reference crawler."""
