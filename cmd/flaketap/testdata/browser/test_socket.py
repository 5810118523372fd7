import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


def test_first(driver):
    driver.get(f"{BASE}/socket")
    driver.find_element(By.ID, "go").click()
    assert driver.find_element(By.ID, "age").text == "23"


def test_second(driver):
    driver.get(f"{BASE}/socket")
    driver.find_element(By.ID, "go").click()
    assert "23" in driver.find_element(By.ID, "age").text
