import os

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options)
    yield driver
    driver.quit()


def test_popup(driver):
    driver.get(f"{BASE}/popup")
    driver.find_element(By.ID, "go").click()
    windows = driver.window_handles
    driver.switch_to.window(windows[-1])
    assert driver.find_element(By.ID, "age").text == "23"
    driver.close()
    driver.switch_to.window(windows[0])
    assert driver.title == "Ages"


def test_frame(driver):
    driver.get(f"{BASE}/frame")
    driver.find_element(By.ID, "go").click()
    driver.switch_to.frame("inner")
    assert driver.find_element(By.ID, "age").text == "23"
    driver.switch_to.default_content()
    assert driver.title == "Ages"
