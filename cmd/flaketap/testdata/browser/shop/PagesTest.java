package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;

class PagesTest {
  private static final String BASE = System.getenv("PAGES");
  private static WebDriver driver;

  @BeforeAll
  static void open() {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(System.getenv("CHROMIUM"));
    options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage");
    driver = new ChromeDriver(options);
  }

  @AfterAll
  static void close() {
    driver.quit();
  }

  @Test
  void fetch() {
    driver.get(BASE + "/fetch");
    driver.findElement(By.id("go")).click();
    assertEquals("23", driver.findElement(By.id("age")).getText());
  }

  @Test
  void value() {
    driver.get(BASE + "/value");
    driver.findElement(By.id("go")).click();
    WebElement age = driver.findElement(By.id("age"));
    assertEquals("23", age.getAttribute("value"));
  }
}
