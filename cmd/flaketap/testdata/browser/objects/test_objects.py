import os

import pytest
from page import Page, Toasts
from selenium import webdriver


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options)
    yield driver
    driver.quit()


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
