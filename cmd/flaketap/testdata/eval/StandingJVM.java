import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.platform.console.ConsoleLauncher;

/**
 * Compiles and runs suites for commands that would each have to start a JVM of their own, which takes ten times as long
 * as their tests. A command posts its environment to /FILE, as "env -0" writes it; its folder, PWD, has the suite, a
 * file of Java or Kotlin, which is compiled into the folder classes where it is another than was compiled last. The
 * suite finds that environment, and what JAVA_TOOL_OPTIONS defines, in classes that are loaded for this run alone; what
 * libraries keep in static fields stays. The answer is 200 where all tests pass, and says what JUnit's console says.
 *
 * <p>The argument is the port. It needs --add-opens java.base/java.lang=ALL-UNNAMED and java.base/java.util=ALL-UNNAMED.
 */
class StandingJVM {
    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newCachedThreadPool()); // one that hangs keeps no other from running
        Properties own = (Properties) System.getProperties().clone();
        server.createContext("/", exchange -> answer(exchange, own));
        server.start();
    }

    private static void answer(HttpExchange exchange, Properties own) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = 200;
        if (exchange.getRequestMethod().equals("POST")) {
            try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
                status = run(exchange.getRequestURI().getPath().substring(1), body, own, out) ? 200 : 500;
            } catch (Exception e) {
                status = 500;
                said.writeBytes((e + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        exchange.sendResponseHeaders(status, 0);
        exchange.getResponseBody().write(said.toByteArray());
        exchange.close();
    }

    private static boolean run(String file, byte[] env, Properties own, PrintStream out) throws Exception {
        Map<String, String> variables = new TreeMap<>();
        for (String variable : new String(env, StandardCharsets.UTF_8).split("\0")) {
            int is = variable.indexOf('=');
            if (is > 0) {
                variables.put(variable.substring(0, is), variable.substring(is + 1));
            }
        }
        Path folder = Path.of(variables.get("PWD"));
        delete(folder.resolve("reports"));
        if (!compiled(folder, file, out)) {
            return false;
        }
        Properties defined = (Properties) own.clone();
        for (String option : variables.getOrDefault("JAVA_TOOL_OPTIONS", "").split(" ")) {
            if (option.startsWith("-D")) {
                String[] parts = option.substring(2).split("=", 2);
                defined.put(parts[0], parts.length > 1 ? parts[1] : "");
            }
        }
        System.setProperties(defined);
        setEnvironment(variables);
        String classes = folder.resolve("classes").toString();
        PrintWriter writer = new PrintWriter(out, true);
        return ConsoleLauncher.run(writer, writer, "execute", "--disable-banner", "--details=none", "--class-path=" + classes,
                "--scan-classpath=" + classes, "--reports-dir=" + folder.resolve("reports")).getExitCode() == 0;
    }

    /** Compiles a suite where it is another than was compiled last. The copy has another ending, as it would be patched too. */
    private static boolean compiled(Path folder, String file, PrintStream out) throws Exception {
        Path source = folder.resolve(file), classes = folder.resolve("classes"), last = classes.resolve("compiled");
        if (Files.exists(last) && Files.mismatch(source, last) < 0) {
            return true;
        }
        delete(classes);
        Files.createDirectories(classes);
        List<String> args = new ArrayList<>(List.of("-d", classes.toString(), "-cp", jars()));
        boolean compiles;
        if (file.endsWith(".kt")) {
            args.addAll(List.of("-no-stdlib", "-no-reflect", "-nowarn", source.toString()));
            compiles = new K2JVMCompiler().exec(out, args.toArray(String[]::new)).getCode() == 0;
        } else {
            args.addAll(List.of("-proc:none", source.toString()));
            compiles = ToolProvider.getSystemJavaCompiler().run(null, out, out, args.toArray(String[]::new)) == 0;
        }
        if (compiles) {
            Files.copy(source, last);
        }
        return compiles;
    }

    /** The libraries, by name: Kotlin's compiler takes no pattern. */
    private static String jars() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getenv("JARS")))) {
            return String.join(File.pathSeparator, all.map(Path::toString).filter(p -> p.endsWith(".jar")).sorted().toList());
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    /** Has System.getenv return other variables. */
    private static void setEnvironment(Map<String, String> variables) throws Exception {
        Field known = Class.forName("java.lang.ProcessEnvironment").getDeclaredField("theUnmodifiableEnvironment");
        known.setAccessible(true);
        Field behind = Class.forName("java.util.Collections$UnmodifiableMap").getDeclaredField("m");
        behind.setAccessible(true);
        @SuppressWarnings("unchecked")
        Map<String, String> environment = (Map<String, String>) behind.get(known.get(null));
        environment.clear();
        environment.putAll(variables);
    }
}
