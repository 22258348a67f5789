"""The few calls of boto3's S3 client that we make, as a type, since boto3 has none."""

from collections.abc import Mapping
from typing import Any, Protocol

Answer = Mapping[str, Any]


class S3Client(Protocol):
    """What `sessions` returns for S3; its own retries are best off, because S3Blobs does them."""

    def put_object(self, **asked: Any) -> Answer:
        """Store an object."""
        ...

    def get_object(self, **asked: Any) -> Answer:
        """Return an object's bytes as a stream, and what is said of it."""
        ...

    def head_object(self, **asked: Any) -> Answer:
        """Return what is said of an object."""
        ...

    def delete_object(self, **asked: Any) -> Answer:
        """Remove an object."""
        ...

    def generate_presigned_url(self, ClientMethod: str, **asked: Any) -> str:  # noqa: N803 - the vendor's name
        """Return an address that makes a call for whoever has it; nothing is asked of S3."""
        ...

    def list_objects_v2(self, **asked: Any) -> Answer:
        """Return a page of names."""
        ...

    def create_multipart_upload(self, **asked: Any) -> Answer:
        """Begin an object that comes in parts."""
        ...

    def upload_part(self, **asked: Any) -> Answer:
        """Send one part."""
        ...

    def complete_multipart_upload(self, **asked: Any) -> Answer:
        """Make one object of the parts."""
        ...

    def abort_multipart_upload(self, **asked: Any) -> Answer:
        """Throw the parts away."""
        ...
