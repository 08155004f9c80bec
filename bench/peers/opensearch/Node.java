import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.transport.Netty4ModulePlugin;

/** One OpenSearch node on the loopback. Arguments: its folder and its HTTP port. */
public class Node {
    public static void main(String[] arguments) throws Exception {
        Path home = Paths.get(arguments[0]);
        for (String folder : List.of("config", "data", "logs")) {
            Files.createDirectories(home.resolve(folder));
        }
        Settings settings = Settings.builder()
            .put("cluster.name", "bench")
            .put("node.name", "node")
            .put("path.home", home.toString())
            .put("path.data", home.resolve("data").toString())
            .put("path.logs", home.resolve("logs").toString())
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            .put("discovery.type", "single-node")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            // A disk that is nearly full is no reason to refuse documents here.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        var environment = new Environment(settings, home.resolve("config"));
        var node = new OpenSearchRunnerNode(
            environment, List.of(CommonAnalysisModulePlugin.class, Netty4ModulePlugin.class));
        node.start();
        Thread.currentThread().join();
    }
}
