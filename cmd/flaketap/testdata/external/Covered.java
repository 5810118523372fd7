import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.internal.data.CRC64;

/**
 * Tells of which lines and branches the probes are that were passed. Its argument is the folder of classes. It reads
 * lines: CLASS#PROBE, or =NAME, at which it prints NAME, the lines that have run, all lines, the branches that have,
 * and all branches.
 */
class Covered {
    /** A class has fewer probes in a service that people wrote. */
    private static final int MOST = 4096;

    public static void main(String[] args) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(Path.of(args[0]))) {
            files = all.filter(f -> f.toString().endsWith(".class")).sorted().toList();
        }
        Map<String, boolean[]> passed = new LinkedHashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("=")) {
                tell(line.substring(1), files, args[0], passed);
                continue;
            }
            int at = line.lastIndexOf('#');
            passed.computeIfAbsent(line.substring(0, at), name -> new boolean[MOST])[Integer.parseInt(line.substring(at + 1))] = true;
        }
    }

    private static void tell(String name, List<Path> files, String folder, Map<String, boolean[]> passed) throws IOException {
        ExecutionDataStore data = new ExecutionDataStore();
        List<byte[]> classes = new ArrayList<>();
        for (Path file : files) {
            byte[] code = Files.readAllBytes(file);
            classes.add(code);
            String path = Path.of(folder).relativize(file).toString();
            String of = path.substring(0, path.length() - ".class".length());
            if (passed.containsKey(of)) {
                data.put(new ExecutionData(CRC64.classId(code), of, passed.get(of)));
            }
        }
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(data, builder);
        for (byte[] code : classes) {
            analyzer.analyzeClass(code, name);
        }
        ICounter lines = builder.getBundle(name).getLineCounter();
        ICounter branches = builder.getBundle(name).getBranchCounter();
        System.out.println(name + " " + lines.getCoveredCount() + " " + lines.getTotalCount() + " "
                + branches.getCoveredCount() + " " + branches.getTotalCount());
    }
}
