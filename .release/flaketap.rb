# For Homebrew. Nobody has run it on a Mac yet.
class Flaketap < Formula
  desc "Makes REST API test suites stable"
  homepage "https://github.com/flaketap/flaketap"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/flaketap/flaketap/releases/download/v@VERSION@/flaketap_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@DARWIN_ARM64@"
    end
    on_intel do
      url "https://github.com/flaketap/flaketap/releases/download/v@VERSION@/flaketap_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@DARWIN_AMD64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/flaketap/flaketap/releases/download/v@VERSION@/flaketap_@VERSION@_linux_arm64.tar.gz"
      sha256 "@LINUX_ARM64@"
    end
    on_intel do
      url "https://github.com/flaketap/flaketap/releases/download/v@VERSION@/flaketap_@VERSION@_linux_amd64.tar.gz"
      sha256 "@LINUX_AMD64@"
    end
  end

  def install
    bin.install "flaketap"
    pkgshare.install "flaketap-hooks.jar"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/flaketap version")
  end
end
