"""What a unique of a span is called: apart from how they are united, for those who only name them."""

# Without an id from the brand itself a visitor is known for one local day only.
VISITORS, VISITOR_DAYS = "visitors", "visitorDays"
UNIQUES_ARE = "uniquesAre"  # the name under which an answer says it
