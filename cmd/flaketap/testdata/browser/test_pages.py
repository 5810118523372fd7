import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


def start(driver, name):
    driver.get(f"{BASE}/{name}")
    driver.find_element(By.ID, "go").click()


def test_fetch(driver):
    start(driver, "fetch")
    assert driver.find_element(By.ID, "age").text == "23"


def test_jitter(driver):
    start(driver, "jitter")
    age = driver.find_element(By.ID, "age").text
    assert age == "23"


def test_list(driver):
    driver.get(f"{BASE}/list")
    driver.find_element(By.ID, "q").send_keys("a")
    items = driver.find_elements(By.CSS_SELECTOR, "#items li")
    assert [item.text for item in items] == ["ant", "bee", "cat", "dog", "elk"]


def test_value(driver):
    start(driver, "value")
    assert driver.find_element(By.ID, "age").get_attribute("value") == "23"


def test_ticker(driver):
    start(driver, "ticker")
    assert driver.find_element(By.ID, "age").text == "23"


def test_toast(driver):
    start(driver, "toast")
    toast = driver.find_element(By.ID, "toast")
    assert toast.text == "Saved 23"


def test_confirm(driver):
    start(driver, "confirm")
    dialog = driver.switch_to.alert
    assert dialog.text == "Delete 23?"
    dialog.accept()
    assert driver.find_element(By.ID, "age").text == "deleted 23"


def test_navigate(driver):
    start(driver, "navigate")
    assert driver.find_element(By.CSS_SELECTOR, "h1").text == "Next"
    assert driver.find_element(By.ID, "age").text == "23"


def test_shadow(driver):
    start(driver, "shadow")
    card = driver.find_element(By.ID, "card").shadow_root
    assert card.find_element(By.CSS_SELECTOR, "#age").text == "23"


def test_poll(driver):
    start(driver, "poll")
    assert driver.find_element(By.ID, "age").text == "23"
