import pytest
from page import Page, Toasts


@pytest.fixture(scope="module")
def browser(driver):
    return driver


def test_fetch(browser):
    page = Page(browser, "fetch")
    page.go()
    assert page.text("age") == "23"


def test_value(browser):
    page = Page(browser, "value")
    page.go()
    assert page.text("go") == "Go"
    assert page.find("id", "age").get_attribute("value") == "23"


def test_toast(browser):
    page = Toasts(browser, "toast")
    page.go()
    assert page.toast() == "Saved 23"
