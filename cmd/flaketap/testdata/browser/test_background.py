import os

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

BASE = os.environ["PAGES"]


def goes_on(driver):
    def clock():
        return int(driver.find_element(By.ID, "clock").text)

    begun = clock()
    WebDriverWait(driver, 60).until(lambda _: clock() > begun + 5)


def test_background(driver):
    driver.get(f"{BASE}/background")
    goes_on(driver)
    driver.find_element(By.ID, "go").click()
    goes_on(driver)
