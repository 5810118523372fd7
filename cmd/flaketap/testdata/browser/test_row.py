import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


def test_row(driver):
    driver.get(f"{BASE}/row")
    driver.find_element(By.XPATH, "/html/body/button[1]").click()
    assert driver.find_element(By.XPATH, "/html/body/table/tbody/tr[1]").is_displayed()


def test_cell(driver):
    driver.get(f"{BASE}/row")
    driver.find_element(By.XPATH, "/html/body/button[1]").click()
    assert driver.find_element(By.XPATH, "/html/body/table/tbody/tr[1]/td[1]").is_displayed()
