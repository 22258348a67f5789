"""Loads AWS's own packages while a function starts: then it has a whole processor, later only a share of one.

Everybody else imports boto3 when a client is made (sessions.py).
"""

import boto3 as boto3  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
