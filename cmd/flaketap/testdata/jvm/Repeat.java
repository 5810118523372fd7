import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests of a class several times as JUnit does, with the API reset before each run: a JVM takes long to start. */
public final class Repeat {
    private Repeat() {}

    /** Takes the class, how often to run it, and where a POST resets the API. The exit status is 1 where a test fails. */
    public static void main(String[] args) throws Exception {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(args[0])).build();
        Launcher launcher = LauncherFactory.create();
        boolean failed = false;
        for (int run = 0; run < Integer.parseInt(args[1]); run++) {
            HttpURLConnection reset = (HttpURLConnection) URI.create(args[2]).toURL().openConnection(Proxy.NO_PROXY);
            reset.setRequestMethod("POST");
            if (reset.getResponseCode() / 100 != 2) {
                throw new IllegalStateException("reset: status " + reset.getResponseCode());
            }
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            launcher.execute(request, listener);
            long bad = listener.getSummary().getTotalFailureCount();
            long ran = listener.getSummary().getTestsSucceededCount();
            System.out.println("run " + run + ": " + ran + " tests passed, " + bad + " failed");
            if (bad > 0 || ran == 0) {
                listener.getSummary().printFailuresTo(new PrintWriter(System.out, true), 1);
                failed = true;
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
