package flaketap.hooks;

/** What the hooks themselves call is not told, nor is it changed. */
final class Busy {
  private static final ThreadLocal<Busy> ON = new ThreadLocal<>();
  private static final Busy YES = new Busy();

  private Busy() {}

  /** Reports whether a hook may begin. Then it ends with {@link #end}. */
  static boolean begin() {
    if (ON.get() != null) return false;
    ON.set(YES);
    return true;
  }

  static void end() {
    ON.remove();
  }
}
