/** Flaketap adds this to each file of a copy of a suite, for one run: a failed assertion lets its test go on. */
@Suppress("DEPRECATION", "UNCHECKED_CAST")
public object FlaketapProbe {
    /** A test that runs in a thread. All files of the suite share it, those in Java too (Muted.java). */
    private const val FIRST = 0
    private const val DEPTH = 1
    private const val WAITS = 2
    private const val NESTED = 3
    private const val NAME = 4
    private const val FAILURES = 5

    private fun key(): String = "flaketap.probe." + Thread.currentThread().id

    private fun test(): Array<Any?>? = System.getProperties()[key()] as Array<Any?>?

    private fun count(what: Int, more: Int): Int {
        val test = test() ?: return 0
        val now = maxOf(0, (test[what] as Int) + more)
        test[what] = now
        return now
    }

    /** Begins a test, whose assertions are muted as long as it runs. */
    public fun begin(name: String) {
        if (count(NESTED, 1) > 0) {
            return
        }
        val stack = Throwable().stackTrace
        if (stack.size > 1 && own(stack[1]) != null) {
            System.getProperties()[key()] = arrayOf<Any?>(null, stack.size - 1, 0, 1, name, 0)
            note("{\"test\":" + json(name) + "}")
        }
    }

    /** Notes where a test ended, and gives back what ended it. */
    public fun ended(e: Throwable): Throwable {
        val test = test()
        if (test != null && test[FIRST] != null && test[NESTED] == 1) {
            val frame = e.stackTrace.firstOrNull { own(it) != null && !it.className.contains("Flaketap" + "Probe") }
            if (frame != null) {
                val file = json(own(frame)!!.replace("\\", "/"))
                note("{\"ended\":" + json(test[NAME] as String) + ",\"file\":" + file + ",\"line\":" + frame.lineNumber + "}")
            }
        }
        return e
    }

    /** Ends a test: it fails as it would have, with the first failure. */
    public fun end() {
        val test = test()
        if (test == null || count(NESTED, -1) > 0) {
            return
        }
        System.getProperties().remove(key())
        throw (test[FIRST] ?: return) as Throwable
    }

    /** Begins a part of a test in which something waits for a failure. */
    public fun waits() {
        count(WAITS, 1)
    }

    public fun waited() {
        count(WAITS, -1)
    }

    /** Keeps what failed for the end of the test, or raises it where something waits for it. */
    public fun failed(e: Throwable) {
        val test = test()
        if (test == null || !goesOn(e, test)) {
            throw e
        }
        if (test[FIRST] == null) {
            test[FIRST] = e
        }
    }

    /** Tells whether a test goes on: not after a thousand failures, which a loop may make that waits for its end. */
    private fun goesOn(e: Throwable, test: Array<Any?>): Boolean {
        if (test[WAITS] as Int > 0 || count(FAILURES, 1) > 1000 || e is InterruptedException) {
            return false
        }
        val types = generateSequence<Class<*>>(e.javaClass) { it.superclass }.map { it.simpleName }
        if (types.any { it in listOf("TestAbortedException", "AssumptionViolatedException", "SkipException", "CancellationException") }) {
            return false
        }
        val disapproved = e.stackTrace.any { it.className.startsWith("org.approvaltests.") } // which throws an Error
        if (e !is AssertionError && e !is Exception && !disapproved) {
            return false // nor where a test is ended on purpose
        }
        val stack = Throwable().stackTrace
        return stack.take(stack.size - test[DEPTH] as Int).all { own(it) != null || harmless(it.className) }
    }

    /** Tells whether a frame is of no library that called back, and may wait for a failure. */
    private fun harmless(type: String): Boolean =
        (listOf("java.", "jdk.", "sun.", "kotlin.", "kotlinx.coroutines.").any(type::startsWith) || "\$Proxy" in type) &&
            listOf("java.util.concurrent.", "kotlin.test.").none(type::startsWith)

    /** Goes on behind a block of REST-assured's that checks an answer: Then { … }. */
    public fun <R, V> checked(response: R, check: (R) -> V): V {
        try {
            return check(response)
        } catch (e: Throwable) {
            failed(e)
            val then = (response as Any).javaClass.methods.first { it.name == "then" && it.parameterCount == 0 }
            then.isAccessible = true
            return then.invoke(response) as V
        }
    }

    /** Mutes the links of REST-assured that follow then(). */
    public fun <T> then(response: T): T = if (test() == null) response else muted(response) as T

    private fun muted(real: Any?): Any? {
        if (real == null || java.lang.reflect.Proxy.isProxyClass(real.javaClass)) {
            return real
        }
        val types = generateSequence<Class<*>>(real.javaClass) { it.superclass }.flatMap { it.interfaces.asSequence() }
            .filter { java.lang.reflect.Modifier.isPublic(it.modifiers) }.distinct().toList()
        if (types.none { it.name.startsWith("io.restassured.response.Validatable") }) {
            return real
        }
        return java.lang.reflect.Proxy.newProxyInstance(real.javaClass.classLoader, types.toTypedArray()) { self, link, args ->
            try {
                link.isAccessible = true
                val out = link.invoke(real, *(args ?: arrayOf<Any?>()))
                if (out === real) self else muted(out) // log() may give an object of its own
            } catch (e: java.lang.reflect.InvocationTargetException) {
                val cause = e.targetException
                if (cause !is AssertionError || !link.returnType.isInstance(self)) {
                    throw cause
                }
                failed(cause)
                self
            }
        }
    }

    /** Ends a test behind a failed assertion where a request is made of what an answer does not have. */
    public fun <T> given(value: T): T {
        val test = test()
        if (test != null && test[FIRST] != null && test[WAITS] == 0 && (value == null || value == "")) {
            throw Error("flaketap: a request is made of what an answer does not have")
        }
        return value
    }

    /** The file of the suite that a frame is in; null for any other. */
    private fun own(frame: StackTraceElement): String? =
        files()[frame.className.substringBeforeLast('.', "") + "/" + frame.fileName]

    /** The files of the suite, by their package and name: the folders of Kotlin need not be those of the package. */
    private fun files(): Map<String, String> {
        val properties = System.getProperties()
        synchronized(properties) {
            val known = properties["flaketap.probe.sources"] as Map<String, String>?
            val suite = java.io.File(System.getenv("FLAKETAP_PROBE_SUITE") ?: return emptyMap())
            return known ?: suite.walk().filter { it.isFile && it.extension in listOf("kt", "java") }
                .associate { packageOf(it) + "/" + it.name to it.relativeTo(suite).path }
                .also { properties["flaketap.probe.sources"] = it }
        }
    }

    private fun packageOf(file: java.io.File): String =
        Regex("(?m)^\\s*package\\s+([\\w.`]+)").find(file.readText())?.groupValues?.get(1)?.replace("`", "") ?: ""

    private fun json(text: String): String = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

    /** Adds a line to the log, which several processes may write. */
    private fun note(line: String) {
        try {
            java.io.FileOutputStream(System.getenv("FLAKETAP_PROBE_LOG"), true).use { it.write((line + "\n").toByteArray()) }
        } catch (e: Exception) {
            return // flaketap says that nothing was muted
        }
    }
}
