"""Mail through a server that speaks SMTP."""
