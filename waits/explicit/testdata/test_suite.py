"""Tests of pages."""

from selenium.webdriver.common.by import By

BASE = "http://127.0.0.1"


def test_statements(driver):
    driver.find_element(By.ID, "go").click()  # @@ root | - | #go
    assert driver.find_element(By.ID, "age").text == "23"  # @@ text | "23" | #age
    shown = driver.find_element(By.CSS_SELECTOR, ".x > b").is_displayed()  # @@ displayed | false | .x > b
    gone = driver.find_element(By.XPATH, "//p").get_attribute("title")  # @@ attribute title | null | //p
    items = driver.find_elements(By.CSS_SELECTOR, "li")  # @@ find all | 5 | li
    assert items[4].text == "5"  # @@ text | "5" | nth 5 li
    card = driver.find_element(By.CSS_SELECTOR, "card").shadow_root  # @@ find | - | card
    assert card.find_element(By.ID, "age").text == "23"  # @@ text | "23" | card | shadow | #age
    assert driver.title == "A"  # @@ title | "A"
    assert driver.switch_to.alert.text == "Sure?"  # @@ text of the alert | "Sure?"
    windows = driver.window_handles  # @@ windows | 2
    color = driver.find_element(By.TAG_NAME, "p").value_of_css_property("color")  # @@ css color | "red" | p
    if driver.find_element(By.ID, "a").is_enabled():  # @@ enabled | true | #a
        assert (
            driver.find_element(By.ID, "b").text  # @@ text | "b" | #b
        )
    elif driver.find_element(By.ID, "c").text:  # @@ text | "c" | #c
        pass
    while driver.find_element(By.ID, "f").text:  # @@ text | "f" | #f
        pass
    texts = [item.text for item in items]  # @@ text | "g" | #g
    later = lambda: driver.find_element(By.ID, "h").text  # @@ text | "h" | #h
    x = 1; driver.find_element(By.ID, "i").text  # @@ text | "i" | #i


class TestPage:
    def test_age(self):
        assert self.driver.find_element(By.ID, "k").text == "k"  # @@ text | "k" | #k


def test_actions(driver):
    driver.find_element(By.ID, "first").click()  # @@ root | - | #first
    driver.find_element(By.ID, "go0").click()  # @@ after | #list children 5; #age text 23; #go @class done "5" | #go0
    driver.find_element(By.ID, "go1").click()  # @@ after | card >>> p > b text 7; #go @aria-busy | #go1
    driver.find_element(By.ID, "go2").click()  # @@ after | #yes checked true; #list children 2; #list text AnnaBob | #go2
    driver.find_element(By.ID, "go3").click()  # @@ after | #box @style color: red; #more text two  words | #go3
