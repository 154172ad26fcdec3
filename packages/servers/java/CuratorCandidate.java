import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.data.Stat;
import sun.misc.Signal;

/**
 * Campaigns with Curator's LeaderLatch and resigns on SIGUSR2. While it leads it does what a leader is for: every
 * so many milliseconds it asks the latch whether it still leads, and if so it writes.
 *
 * Prints a word, the time in nanoseconds of the machine's monotonic clock, and for `token` and `wrote` the czxid of
 * its znode: `stands`, `leads`, `token`, `wrote`, `lost`, `resigns`. Parameters: id, path, session timeout in
 * milliseconds, hosts, and milliseconds between two writes.
 */
public class CuratorCandidate {
  private static volatile boolean leads = false;

  public static void main(String[] arguments) throws Exception {
    String id = arguments[0];
    String path = arguments[1];
    int sessionTimeoutMs = Integer.parseInt(arguments[2]);
    long writeEveryMs = Long.parseLong(arguments[4]);
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
        leads = true;
      }

      @Override
      public void notLeader() {
        leads = false;
        say("lost");
      }
    });
    Signal.handle(new Signal("USR2"), signal -> {
      try {
        say("resigns");
        latch.close();
      } catch (Exception error) {
        System.err.println(error);
      }
    });
    latch.start();
    while (latch.getOurPath() == null) Thread.sleep(1);
    say("stands");
    work(client, latch, writeEveryMs);
  }

  /** In a thread of its own, as an application would: the listener must not be kept waiting. */
  private static void work(CuratorFramework client, LeaderLatch latch, long writeEveryMs)
      throws InterruptedException {
    String path = null;
    long token = 0;
    boolean told = false;
    while (true) {
      // A znode keeps its czxid, so a leader-to-be knows its token before it needs it.
      String ownPath = latch.getOurPath();
      if (ownPath != null && !ownPath.equals(path)) {
        token = czxidOf(client, ownPath);
        path = token == 0 ? null : ownPath;
      }
      // The listener's word alone would do until the next one comes, which may be long after a pause.
      boolean writes = leads && token != 0 && latch.hasLeadership();
      if (writes && !told) say("token " + token);
      if (writes) say("wrote " + token);
      told = writes;
      Thread.sleep(writes ? writeEveryMs : 1);
    }
  }

  /** Zero if it cannot be had now. */
  private static long czxidOf(CuratorFramework client, String path) {
    try {
      Stat stat = client.checkExists().forPath(path);
      return stat == null ? 0 : stat.getCzxid();
    } catch (Exception error) {
      return 0;
    }
  }

  private static synchronized void say(String words) {
    String[] parts = words.split(" ", 2);
    System.out.println(parts[0] + " " + System.nanoTime() + (parts.length > 1 ? " " + parts[1] : ""));
    System.out.flush();
  }
}
