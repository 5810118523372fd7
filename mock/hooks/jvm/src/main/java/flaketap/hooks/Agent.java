package flaketap.hooks;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * Is started by the JVM, before the API, and is compiled for Java 8, where it does nothing. All classes but this one are
 * loaded by the loader of the JVM's own, since the changed classes of any loader call them; they need Java 11.
 */
public final class Agent {
  private Agent() {}

  public static void premain(String arguments, Instrumentation instrumentation) {
    if (System.getenv("FLAKETAP_READS") == null || System.getProperty("java.specification.version").startsWith("1.")) return;
    try {
      File jar = new File(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
      Class.forName("flaketap.hooks.Changes").getMethod("install", Instrumentation.class, File.class).invoke(null, instrumentation, jar);
    } catch (Throwable nothingIsTold) {
      // The API starts all the same.
    }
  }
}
