"""What is said when another pipeline's bucket may not be read: the permission that is missing, by its name."""

from collections.abc import Callable
from random import Random
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError

from footfall.adapters.aws.s3_client import S3Client
from footfall.adapters.aws.s3_source import S3Source
from footfall.ports.errors import Unavailable


class Denied:
    """A client of S3 whose role may do nothing."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def refuse(**_: object) -> None:
            said = {"Error": {"Code": "AccessDenied", "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": 403}}
            raise ClientError(cast("Any", said), name)

        return refuse


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda source: source.get("b", "k", bytes_max=1), r"s3:GetObject on .*kms:Decrypt"),
        (lambda source: source.get("b", "k", version="v1", bytes_max=1), r"s3:GetObjectVersion on .*kms:Decrypt"),
        (lambda source: source.page("b", "2026/"), "s3:ListBucket on the bucket"),
    ],
)
def test_a_bucket_that_may_not_be_read_names_the_permission(ask: Callable[[S3Source], object], says: str) -> None:
    source = S3Source(cast("S3Client", Denied()), chance=Random(1), pause=lambda _seconds: None)
    with pytest.raises(Unavailable, match=says):
        ask(source)
