import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.RetryNTimes;
import sun.misc.Signal;

/** Campaigns with Curator's LeaderLatch, prints `leads` and `lost`, and resigns on SIGUSR2. */
public class CuratorCandidate {
  public static void main(String[] arguments) throws Exception {
    String id = arguments[0];
    String path = arguments[1];
    int sessionTimeoutMs = Integer.parseInt(arguments[2]);
    CuratorFramework client = CuratorFrameworkFactory.builder()
        .connectString(arguments[3])
        .sessionTimeoutMs(sessionTimeoutMs)
        .connectionTimeoutMs(sessionTimeoutMs)
        .retryPolicy(new RetryNTimes(100, 50))
        .build();
    client.start();
    LeaderLatch latch = new LeaderLatch(client, path, id);
    latch.addListener(new LeaderLatchListener() {
      @Override
      public void isLeader() {
        say("leads");
      }

      @Override
      public void notLeader() {
        say("lost");
      }
    });
    Signal.handle(new Signal("USR2"), signal -> {
      try {
        latch.close();
        say("resigned");
      } catch (Exception error) {
        say("failed " + error);
      }
    });
    latch.start();
    say("stands");
    Thread.sleep(Long.MAX_VALUE);
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
