"""Every route and what may be said on it, declared once: OpenAPI, its page and the reference are made of this."""
