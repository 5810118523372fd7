/** Flaketap adds this to each file of a copy of a suite, for one run: a failed assertion lets its test go on. */
final class FlaketapProbe {
    /** A test that runs in a thread. All files of the suite share it. */
    private static final int FIRST = 0, DEPTH = 1, WAITS = 2, NESTED = 3, NAME = 4, FAILURES = 5;

    private FlaketapProbe() {}

    private static String key() {
        return "flaketap.probe." + Thread.currentThread().getId();
    }

    private static Object[] test() {
        return (Object[]) System.getProperties().get(key());
    }

    private static int count(int what, int more) {
        Object[] test = test();
        if (test == null) {
            return 0;
        }
        test[what] = (Integer) test[what] + more;
        return (Integer) test[what];
    }

    /** Begins a test, whose assertions are muted as long as it runs. */
    static void begin(String name) {
        if (count(NESTED, 1) > 0) {
            return;
        }
        StackTraceElement[] stack = new Throwable().getStackTrace();
        if (stack.length > 1 && own(stack[1]) != null) {
            System.getProperties().put(key(), new Object[] {null, stack.length - 1, 0, 1, name, 0});
            note("{\"test\":\"" + name + "\",\"time\":" + now() + "}");
        }
    }

    /** Notes where a test ended, and gives back what ended it. */
    static RuntimeException ended(Throwable e) {
        Object[] test = test();
        if (test != null && test[FIRST] != null && (Integer) test[NESTED] == 1) {
            for (StackTraceElement frame : e.getStackTrace()) {
                String file = own(frame);
                if (file != null && !frame.getClassName().contains("Flaketap" + "Probe")) {
                    note("{\"ended\":\"" + test[NAME] + "\",\"file\":\"" + file.replace("\\", "/") + "\",\"line\":" + frame.getLineNumber() + "}");
                    break;
                }
            }
        }
        return FlaketapProbe.<RuntimeException>raise(e);
    }

    /** Ends a test: it fails as it would have, with the first failure. */
    static void end() {
        Object[] test = test();
        if (test == null || count(NESTED, -1) > 0) {
            return;
        }
        System.getProperties().remove(key());
        if (test[FIRST] != null) {
            FlaketapProbe.<RuntimeException>raise((Throwable) test[FIRST]);
        }
    }

    /** Begins a part of a test in which something waits for a failure. */
    static void waits() {
        count(WAITS, 1);
    }

    static void waited() {
        count(WAITS, -1);
    }

    /** Keeps what failed for the end of the test, or raises it where something waits for it. */
    static void failed(Throwable e) {
        Object[] test = test();
        if (test == null || !goesOn(e, test)) {
            FlaketapProbe.<RuntimeException>raise(e);
        }
        saw(e, test);
        if (test[FIRST] == null) {
            test[FIRST] = e;
        }
    }

    /** Notes an assertion that failed: the lines of the suite that lead to it, and what it says of the values. */
    private static void saw(Throwable e, Object[] test) {
        StringBuilder at = new StringBuilder();
        for (StackTraceElement frame : e.getStackTrace()) {
            String file = own(frame);
            if (file != null && !frame.getClassName().contains("Flaketap" + "Probe")) {
                at.append(at.length() == 0 ? "" : ",").append("{\"file\":").append(text(file.replace("\\", "/")))
                    .append(",\"line\":").append(frame.getLineNumber()).append('}');
            }
        }
        String message = (e instanceof AssertionError ? "" : e.getClass().getSimpleName() + ": ") + e.getMessage();
        note("{\"failed\":\"" + test[NAME] + "\",\"time\":" + now() + ",\"at\":[" + at + "],\"saw\":" + text(compared(e, "getActual"))
            + ",\"expected\":" + text(compared(e, "getExpected")) + ",\"message\":" + text(message) + "}");
    }

    /** A value that an assertion of JUnit or AssertJ compared, as opentest4j and JUnit 4 tell it. */
    private static String compared(Throwable e, String getter) {
        try {
            Object value = e.getClass().getMethod(getter).invoke(e);
            if (value != null && value.getClass().getSimpleName().equals("ValueWrapper")) {
                value = value.getClass().getMethod("getStringRepresentation").invoke(value);
            }
            return value == null ? "" : value.toString();
        } catch (ReflectiveOperationException | RuntimeException told) {
            return "";
        }
    }

    /** A text in JSON, the beginning of a long one. */
    private static String text(String value) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < Math.min(value.length(), 1000); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format((java.util.Locale) null, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** The time in seconds since 1970. */
    private static String now() {
        long millis = System.currentTimeMillis();
        return millis / 1000 + "." + String.format((java.util.Locale) null, "%03d", millis % 1000);
    }

    /** Tells whether ApprovalTests found a difference, which throws an Error as a test does that is to end. */
    private static boolean disapproved(Throwable e) {
        for (StackTraceElement at : e.getStackTrace()) {
            if (at.getClassName().startsWith("org.approvaltests.")) {
                return true;
            }
        }
        return false;
    }

    /** Tells whether a test goes on: not after a thousand failures, which a loop may make that waits for its end. */
    private static boolean goesOn(Throwable e, Object[] test) {
        if ((Integer) test[WAITS] > 0 || count(FAILURES, 1) > 1000 || e instanceof InterruptedException) {
            return false;
        }
        for (Class<?> type = e.getClass(); type != null; type = type.getSuperclass()) {
            String name = type.getSimpleName();
            if (name.equals("TestAbortedException") || name.equals("AssumptionViolatedException") || name.equals("SkipException")) {
                return false;
            }
        }
        if (!(e instanceof AssertionError) && !(e instanceof Exception) && !disapproved(e)) {
            return false; // nor where a test is ended on purpose
        }
        StackTraceElement[] stack = new Throwable().getStackTrace();
        for (int i = 0; i < stack.length - (Integer) test[DEPTH]; i++) {
            String name = stack[i].getClassName();
            boolean harmless = name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.") || name.contains("$Proxy");
            if (own(stack[i]) == null && !harmless || name.startsWith("java.util.concurrent.")) {
                return false; // a library called back, and may wait for it
            }
        }
        return true;
    }

    /** Mutes the links of REST-assured that follow then(). */
    @SuppressWarnings("unchecked")
    static <T> T then(T response) {
        return test() == null ? response : (T) muted(response);
    }

    private static Object muted(final Object real) {
        java.util.Set<Class<?>> types = new java.util.LinkedHashSet<Class<?>>();
        boolean asserts = false;
        for (Class<?> c = real == null ? null : real.getClass(); c != null; c = c.getSuperclass()) {
            for (Class<?> type : c.getInterfaces()) {
                if (java.lang.reflect.Modifier.isPublic(type.getModifiers())) {
                    types.add(type);
                    asserts = asserts || type.getName().startsWith("io.restassured.response.Validatable");
                }
            }
        }
        if (!asserts || java.lang.reflect.Proxy.isProxyClass(real.getClass())) {
            return real;
        }
        return java.lang.reflect.Proxy.newProxyInstance(real.getClass().getClassLoader(), types.toArray(new Class<?>[0]),
            new java.lang.reflect.InvocationHandler() {
                @Override
                public Object invoke(Object self, java.lang.reflect.Method link, Object[] args) throws Throwable {
                    Object out;
                    try {
                        link.setAccessible(true);
                        out = link.invoke(real, args);
                    } catch (java.lang.reflect.InvocationTargetException e) {
                        if (!(e.getCause() instanceof AssertionError) || !link.getReturnType().isInstance(self)) {
                            throw e.getCause();
                        }
                        failed(e.getCause());
                        return self;
                    }
                    return out == real ? self : muted(out); // log() may give an object of its own
                }
            });
    }

    /** Ends a test behind a failed assertion where a request is made of what an answer does not have. */
    static <T> T given(T value) {
        Object[] test = test();
        if (test != null && test[FIRST] != null && (Integer) test[WAITS] == 0 && (value == null || "".equals(value))) {
            throw new Error("flaketap: a request is made of what an answer does not have");
        }
        return value;
    }

    /** The file of the suite that a frame is in; null for any other. */
    private static String own(StackTraceElement frame) {
        String type = frame.getClassName();
        String in = type.substring(0, Math.max(type.lastIndexOf('.'), 0));
        return (String) files().get(in + "/" + frame.getFileName());
    }

    /** The files of the suite, by their package and name: a compiler that is given a file does not ask for its folder. */
    private static java.util.Map<?, ?> files() {
        java.util.Properties properties = System.getProperties();
        synchronized (properties) {
            java.util.Map<?, ?> known = (java.util.Map<?, ?>) properties.get("flaketap.probe.sources");
            String suite = System.getenv("FLAKETAP_PROBE_SUITE");
            if (known != null || suite == null) {
                return known != null ? known : java.util.Collections.emptyMap();
            }
            java.util.Map<String, String> out = new java.util.HashMap<String, String>();
            list(new java.io.File(suite), "", out);
            properties.put("flaketap.probe.sources", out);
            return out;
        }
    }

    private static void list(java.io.File dir, String prefix, java.util.Map<String, String> out) {
        java.io.File[] files = dir.listFiles();
        for (java.io.File file : files == null ? new java.io.File[0] : files) {
            if (file.isDirectory()) {
                list(file, prefix + file.getName() + "/", out);
            } else if (file.getName().endsWith(".java") || file.getName().endsWith(".kt")) {
                out.put(packageOf(file) + "/" + file.getName(), prefix + file.getName());
            }
        }
    }

    private static String packageOf(java.io.File file) {
        try {
            String text = new String(java.nio.file.Files.readAllBytes(file.toPath()), "UTF-8");
            java.util.regex.Matcher named = java.util.regex.Pattern.compile("(?m)^\\s*package\\s+([\\w.`]+)").matcher(text);
            return named.find() ? named.group(1).replace("`", "") : "";
        } catch (java.io.IOException e) {
            return ""; // what cannot be read cannot be compiled either
        }
    }

    /** Adds a line to the log, which several processes may write. */
    private static void note(String line) {
        try {
            java.io.FileOutputStream log = new java.io.FileOutputStream(System.getenv("FLAKETAP_PROBE_LOG"), true);
            try {
                log.write((line + "\n").getBytes("UTF-8"));
            } finally {
                log.close();
            }
        } catch (java.io.IOException | RuntimeException e) {
            return; // flaketap says that nothing was muted
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException raise(Throwable e) throws E {
        throw (E) e;
    }
}
