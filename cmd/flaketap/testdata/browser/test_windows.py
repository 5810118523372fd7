import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


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
