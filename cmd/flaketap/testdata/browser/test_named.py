import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


def ask(driver):
    driver.get(f"{BASE}/named")
    driver.find_element(By.XPATH, "/html/body/button[1]").click()


def test_id(driver):
    ask(driver)
    assert driver.find_element(By.XPATH, "/html/body/p[1]").text == "23"


def test_test_id(driver):
    ask(driver)
    assert driver.find_element(By.XPATH, "/html/body/p[2]").text == "23"


def test_role(driver):
    ask(driver)
    assert driver.find_element(By.XPATH, "/html/body/p[3]").text == "23"


def test_text(driver):
    ask(driver)
    assert driver.find_element(By.XPATH, "/html/body/p[4]").is_displayed()


def test_shadow(driver):
    ask(driver)
    card = driver.find_element(By.XPATH, "/html/body/age-card").shadow_root
    assert card.find_element(By.CSS_SELECTOR, "p:last-child").text == "23"
