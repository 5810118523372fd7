"""What tests share."""


def same(got, want):
    assert got == want


def callback(value, wanted):
    assert value == wanted
