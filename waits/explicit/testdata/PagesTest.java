package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;

class PagesTest {
  private final WebDriver driver = Drivers.open();
  private final String first = driver.findElement(By.id("r")).getText(); // @@ text | "r" | #r

  @Test
  void statements() {
    driver.findElement(By.id("go")).click(); // @@ root | - | #go
    assertEquals("23", driver.findElement(By.id("age")).getText()); // @@ text | "23" | #age
    boolean shown = driver.findElement(By.cssSelector(".x > b")).isDisplayed(); // @@ displayed | false | .x > b
    String gone = driver.findElement(By.xpath("//p")).getAttribute("title"); // @@ attribute title | null | //p
    List<WebElement> all = driver.findElements(By.cssSelector("li")); // @@ find all | 5 | li
    assertEquals("5", all.get(4).getText()); // @@ text | "it's \"5\"" | nth 5 li
    WebElement card = driver.findElement(By.cssSelector("card")); // @@ find | - | card
    card.getShadowRoot().findElement(By.cssSelector("#age")).getText(); // @@ text | "23" | card | shadow | #age
    String title = driver.getTitle(); // @@ title | "A"
    String sure = driver.switchTo().alert().getText(); // @@ text of the alert | "Sure?"
    Set<String> windows = driver.getWindowHandles(); // @@ windows | 2
    String color = driver.findElement(By.tagName("p")).getCssValue("color"); // @@ css color | "red" | p
    driver.findElement(By.id("late")).click(); // @@ click | - | #late
    if (driver.findElement(By.id("a")).isEnabled()) { // @@ enabled | true | #a
      driver.findElement(By.id("b")).getText(); // @@ text | "b" | #b
    } else if (driver.findElement(By.id("c")).isEnabled()) { // @@ enabled | true | #c
      return;
    }
    String name =
        driver
            .findElement(By.id("d")).getText(); // @@ text | "d" | #d
    for (WebElement item : driver.findElements(By.cssSelector("p"))) { // @@ find all | 2 | p
      int[] some = {1, driver.findElement(By.id("e")).getText().length()}; // @@ text | "e" | #e
    }
    assertAll(() -> {
      driver.findElement(By.id("f")).getText(); // @@ text | "f" | #f
    });
    do {
      driver.findElement(By.id("g")).getText(); // @@ text | "g" | #g
    } while (driver.findElement(By.id("g")).isEnabled()); // @@ enabled | true | #g
    driver.findElement(By.id("h")).getText(); // @@ text | "h" | #h
  }

  @Test
  void left() {
    while (driver.findElement(By.id("i")).isEnabled()) {} // @@ enabled | true | #i
    assertAll(() -> driver.findElement(By.id("j")).getText()); // @@ text | "j" | #j
    if (first == null)
      driver.findElement(By.id("k")).getText(); // @@ text | "k" | #k
    int x = 1; driver.findElement(By.id("l")).getText(); // @@ text | "l" | #l
    Runnable r = new Runnable() {
      String text = driver.findElement(By.id("m")).getText(); // @@ text | "m" | #m
    };
    switch (x) {
      case 1: driver.findElement(By.id("n")).getText(); // @@ text | "n" | #n
    }
    try (Closeable c = open(driver.findElement(By.id("o")).getText())) { // @@ text | "o" | #o
    }
  }

  void anotherDriver() {
    WebDriver own = Drivers.open();
    own.findElement(By.id("p")).click(); // @@ root | - | #p
  }

  void age(PageOfAges page) {
    page.age(); // @@ text | "q" | #q
  }

  void given(ChromeDriver chrome, WebElement at) {
    at.getText(); // @@ text | "s" | #s
  }
}

class Helper {
  private final WebElement card;

  String age() {
    return card.getText(); // @@ text | "t" | #t
  }

  void actions(WebDriver driver) {
    driver.findElement(By.id("first")).click(); // @@ root | - | #first
    driver.findElement(By.id("go0")).click(); // @@ after | #list children 5; #age text 23; #go @class done "5" | #go0
    driver.findElement(By.id("go1")).click(); // @@ after | card >>> p > b text 7; #go @aria-busy | #go1
    driver.findElement(By.id("go2")).click(); // @@ after | #yes checked true; #list children 2; #list text AnnaBob | #go2
    driver.findElement(By.id("go3")).click(); // @@ after | #box @style color: red; #more text two  words | #go3
  }
}
