"""Webhooks over HTTP, to places that are looked at before anything is sent."""
