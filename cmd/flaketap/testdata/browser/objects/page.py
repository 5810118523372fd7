import os

from selenium.webdriver.common.by import By

BASE = os.environ["PAGES"]


class Page:
    def __init__(self, driver, name):
        self.driver = driver
        driver.get(f"{BASE}/{name}")

    def find(self, by, value):
        return self.driver.find_element(by, value)

    def text(self, id):
        return self.find(By.ID, id).text

    def go(self):
        self.find(By.ID, "go").click()


class Toasts(Page):
    def toast(self):
        return self.find(By.ID, "toast").text
