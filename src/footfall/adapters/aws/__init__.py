"""The ports on AWS: Table on DynamoDB, Stream on Kinesis, Blobs on S3. Needs the extra `aws`."""
