package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Alert;
import org.openqa.selenium.By;
import org.openqa.selenium.SearchContext;
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
  void jitter() {
    driver.get(BASE + "/jitter");
    driver.findElement(By.id("go")).click();
    String age = driver.findElement(By.id("age")).getText();
    assertEquals("23", age);
  }

  @Test
  void list() {
    driver.get(BASE + "/list");
    driver.findElement(By.id("q")).sendKeys("a");
    List<WebElement> items = driver.findElements(By.cssSelector("#items li"));
    assertEquals(5, items.size());
    assertEquals("elk", items.get(4).getText());
  }

  @Test
  void value() {
    driver.get(BASE + "/value");
    driver.findElement(By.id("go")).click();
    WebElement age = driver.findElement(By.id("age"));
    assertEquals("23", age.getAttribute("value"));
  }

  @Test
  void ticker() {
    driver.get(BASE + "/ticker");
    driver.findElement(By.id("go")).click();
    assertEquals("23", driver.findElement(By.id("age")).getText());
  }

  @Test
  void toast() {
    driver.get(BASE + "/toast");
    driver.findElement(By.id("go")).click();
    WebElement toast = driver.findElement(By.id("toast"));
    assertEquals("Saved 23", toast.getText());
  }

  @Test
  void confirm() {
    driver.get(BASE + "/confirm");
    driver.findElement(By.id("go")).click();
    Alert dialog = driver.switchTo().alert();
    assertEquals("Delete 23?", dialog.getText());
    dialog.accept();
    assertEquals("deleted 23", driver.findElement(By.id("age")).getText());
  }

  @Test
  void navigate() {
    driver.get(BASE + "/navigate");
    driver.findElement(By.id("go")).click();
    assertEquals("Next", driver.findElement(By.cssSelector("h1")).getText());
    assertEquals("23", driver.findElement(By.id("age")).getText());
  }

  @Test
  void shadow() {
    driver.get(BASE + "/shadow");
    driver.findElement(By.id("go")).click();
    SearchContext card = driver.findElement(By.id("card")).getShadowRoot();
    WebElement age = card.findElement(By.cssSelector("#age"));
    assertEquals("23", age.getText());
  }

  @Test
  void poll() {
    driver.get(BASE + "/poll");
    driver.findElement(By.id("go")).click();
    assertEquals("23", driver.findElement(By.id("age")).getText());
  }
}
