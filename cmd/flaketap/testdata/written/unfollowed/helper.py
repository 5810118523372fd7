"""What tests share."""


def check_quote(quote):
    """The quote is the one of yesterday."""
    for key, value in quote.items():
        if key == "quoteId":
            assert value == "fd8ab8e83859a82e78c8acef"
        elif key == "currency":
            assert value == "EUR"
