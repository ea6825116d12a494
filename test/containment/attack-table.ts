/** What must not be possible in a sandbox, and how it is tried. */
export type Attack = {
	/** A script of the shell, bounded by itself. It prints `BREACH` with what it could do, and ends with `tried`. */
	readonly script: string;
	/** What it prints if it could try. */
	readonly expected?: RegExp;
	/** What a side needs, so that it says something. */
	readonly needs?: readonly ('perl' | 'network')[];
};

/** Prints BREACH if a command succeeds. */
const refused = (...commands: readonly string[]) =>
	commands.map(each => `(${each}) >/dev/null 2>&1 && echo "BREACH: ${each.replace(/[\\"`]/g, '\\$&')}"`).join('\n');

/** Returns a line that runs a program in Perl, with the numbers of system calls as `$call{name}`. */
const perl = (program: string) => `perl -e '
	%call = qx(uname -m) =~ /aarch64/
		? (socket => 198, ptrace => 117, process_vm_readv => 270, mknodat => 33, keyctl => 219, add_key => 217,
			request_key => 218, clone => 220, mount => 40, setns => 268, unshare => 97, shmget => 194, semget => 190,
			bpf => 280, perf_event_open => 241, userfaultfd => 282, open_by_handle_at => 265, init_module => 105,
			kexec_load => 104, swapon => 224, fchmodat => 53, openat => 56, fanotify_init => 262,
			settimeofday => 170, sethostname => 161, kill => 129)
		: (socket => 41, ptrace => 101, process_vm_readv => 310, mknodat => 259, keyctl => 250, add_key => 248,
			request_key => 249, clone => 56, mount => 165, setns => 308, unshare => 272, shmget => 29, semget => 64,
			bpf => 321, perf_event_open => 298, userfaultfd => 323, open_by_handle_at => 304, init_module => 175,
			kexec_load => 246, swapon => 167, fchmodat => 268, openat => 257, fanotify_init => 300,
			settimeofday => 164, sethostname => 170, kill => 62);
	# The same number on every machine.
	%call = (%call, pidfd_open => 434, pidfd_send_signal => 424, clone3 => 435, io_uring_setup => 425, open_tree => 428,
		fsopen => 430, mount_setattr => 442, pidfd_getfd => 438, fchmodat2 => 452);
	sub breach { print "BREACH: @_\\n" }
	sub try { my ($name, @rest) = @_; my $got = syscall($call{$name}, @rest); breach($name) if $got >= 0; $got }
	${program.replaceAll("'", `'\\''`)}'`;

/** Attacks on everything that is contained: commands of the agent and tasks of the server, of root and of other users. */
export const attacks: Readonly<Record<string, Attack>> = {
	'writes no setting of the kernel': {
		// Where a file can be written, this writes what is already there, or nothing, so that success does no harm.
		script: [
			...['/proc/sys/vm/overcommit_memory', '/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe'].map(
				file => `(cat ${file} >${file}) 2>/dev/null && echo "BREACH: ${file}"`,
			),
			refused(': >>/proc/sysrq-trigger', ': >>/proc/irq/default_smp_affinity', ': >>/sys/kernel/uevent_helper'),
			'find /proc/sys /proc/irq /proc/bus /proc/fs /proc/acpi /proc/scsi /sys -type f -writable 2>/dev/null | sed "s/^/BREACH: /" | head',
		].join('\n'),
	},
	'joins no other control group, and names no program for its end': {
		script:
			'for f in $(find /sys/fs/cgroup -name cgroup.procs -o -name tasks -o -name release_agent -o -name cgroup.kill 2>/dev/null | head -50); do (: >>$f) 2>/dev/null && echo "BREACH: $f"; done',
	},
	'puts no file into /dev, and those of /dev/shm have a size': {
		script: `${refused(': >/dev/x', 'mkdir /dev/y')}; : >/dev/shm/x && echo open; rm /dev/shm/x; cat /proc/mounts | grep shm`,
		expected: /open\n(?:.*\n)*(?:\S+ \/dev\/shm (?!tmpfs)|\S+ \/dev\/shm tmpfs \S*\bsize=\d+)/,
	},
	'writes to no folder but its own ones': {
		script: [
			'for at in $(cut -d" " -f5 /proc/self/mountinfo | sort -u) / /etc /usr/bin /var/tmp /run /home /root /mnt; do',
			'case "$at" in "$PWD"|"${TMPDIR:-/tmp}"|/tmp|/dev/shm) continue;; esac',
			'(: >"$at/planted") 2>/dev/null && echo "BREACH: $at"; (mkdir "$at/folder") 2>/dev/null && echo "BREACH: folder in $at"',
			'done',
			refused('echo x >"$FILE"', 'mkdir "$FOLDER/x"', 'rm "$FILE"', 'mv "$FILE" x', 'ln "$FILE" hard && echo x >hard'),
			'ln -s "$FOLDER" up; (echo x >up/file) 2>/dev/null; (echo x >up/planted) 2>/dev/null',
		].join('\n'),
	},
	'writes through no link that takes the place of a folder meanwhile': {
		needs: ['perl'],
		script:
			perl(`mkdir("swap"); if (!($other = fork)) { for (1..3000) { symlink($ENV{FOLDER}, "swap/b"); unlink("swap/b"); mkdir("swap/b"); rmdir("swap/b") } exit }
			for (1..3000) { for $file ("swap/b/file", "swap/b/planted") { open(my $f, ">", $file) or next; print $f "x"; close($f); unlink($file) } } waitpid($other, 0)`),
	},
	'mounts nothing, also in a user namespace of its own': {
		needs: ['perl'],
		script: [
			refused('umount /tmp', 'mount -o remount,rw /', 'mount -t tmpfs none /mnt', 'mount --bind /tmp /etc'),
			refused(
				'unshare -Urm umount /tmp',
				'unshare -U true',
				'unshare -Urm mount -t tmpfs none /mnt',
				'unshare -m true',
			),
			refused(
				'unshare -n true',
				'unshare -p --fork true',
				'unshare -i true',
				'unshare -u true',
				'unshare -C true',
				'unshare -T true',
			),
			perl(`try("mount", 0, 0, 0, 0, 0) if 0; $type = "tmpfs"; try("fsopen", $type, 0);
				try("open_tree", -100, $root = "/", 1); try("mount_setattr", -100, $root, 0, 0, 0);
				for ("clone", "clone3") { syscall($call{$_}, 0x10000011, 0, 0, 0, 0) == 0 and do { breach($_); exit } }
				try("unshare", 0x10000000);
				for $ns ("user", "mnt", "pid", "net", "ipc") { open(my $f, "<", "/proc/1/ns/$ns") or next; try("setns", fileno($f), 0) }`),
		].join('\n'),
	},
	'has no capability, and gains none': {
		script: [
			'grep -E "^(CapPrm|CapEff|CapInh|CapAmb|NoNewPrivs)" /proc/self/status',
			'for f in /usr/bin/su /usr/bin/sudo /usr/bin/newgrp /usr/bin/passwd /usr/bin/mount; do [ -u $f ] && cp $f copy 2>/dev/null; done',
			'find / -xdev -maxdepth 1 >/dev/null; for f in $(find /usr/bin -perm -4000 2>/dev/null | head -3); do findmnt -T $f -no OPTIONS | grep -q nosuid || echo "BREACH: $f"; done',
			refused(
				'chroot / true',
				'hostname "$(hostname)"',
				'date -s "$(date)"',
				'nice -n -5 sh -c "[ \\$(nice) -lt $(nice) ]"',
				'chrt -f 1 true',
			),
			refused('echo -1000 >/proc/self/oom_score_adj', 'ulimit -c unlimited && [ "$(ulimit -c)" = unlimited ]'),
			refused('chown 12345 "$0"'),
		].join('\n'),
		expected: /CapInh:\t0{16}\nCapPrm:\t0{16}\nCapEff:\t0{16}\nCapAmb:\t0{16}\nNoNewPrivs:\t1\n/,
	},
	'sees, signals, reads and traces no process outside': {
		needs: ['perl'],
		script: [
			'[ "$(ls /proc | grep -c "^[0-9]")" -lt 12 ] || echo "BREACH: $(ls /proc | grep -c "^[0-9]") processes"',
			refused('kill -0 $VICTIM', 'kill -9 $VICTIM', 'cat /proc/$VICTIM/environ', 'ls /proc/1/root/home/..//root/.ssh'),
			'tr "\\0" "\\n" </proc/1/environ | grep -q VITEST_ && echo "BREACH: environment of the first process"',
			perl(`$pid = $ENV{VICTIM} + 0; $buffer = "x" x 64; $iov = pack("PQ", $buffer, 64);
				try("ptrace", 16, $pid, 0, 0); try("ptrace", 0x4206, $pid, 0, 0); try("process_vm_readv", $pid, $iov, 1, $iov, 1, 0);
				$fd = try("pidfd_open", $pid, 0); try("kill", $pid, 9)`),
		].join('\n'),
	},
	'types into no terminal': {
		needs: ['perl'],
		script: [
			refused(': >/dev/tty', ': </dev/tty', ': >/dev/console', ': >/dev/tty1'),
			perl(`open($m, "+<", "/dev/ptmx") or die "no terminal"; $zero = pack("i", 0); ioctl($m, 0x40045431, $zero) or die;
				$number = pack("i", 0); ioctl($m, 0x80045430, $number) or die; open($s, "+<", "/dev/pts/" . unpack("i", $number)) or die "no slave";
				$c = "x"; print "terminal\\n"; ioctl($s, 0x5412, $c) and breach("TIOCSTI"); ioctl($s, 0x541c, $c) and breach("TIOCLINUX");
				$big = 0xdead00005412; ioctl($s, $big, $c) and breach("TIOCSTI with more bits")`),
		].join('\n'),
		expected: /terminal\n/,
	},
	'reaches no socket of a service by its path': {
		needs: ['perl'],
		script: [
			perl(
				`use Socket; for ($ENV{SOCKET}, $ENV{OTHER_SOCKET}, $ENV{TOOL_SOCKET}) { socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un($_)) and breach($_) }`,
			),
			'find /run /var/run -type s 2>/dev/null | sed "s/^/BREACH: /"',
		].join('\n'),
	},
	'reaches nothing on the loopback of the machine, and no abstract socket': {
		needs: ['perl', 'network'],
		script:
			perl(`use Socket; socket(my $t, AF_INET, SOCK_STREAM, 0); connect($t, pack_sockaddr_in($ENV{PORT}, inet_aton("127.0.0.1"))) and breach("port");
			$name = "\\1\\0\\0$ENV{ABSTRACT}";
			for ($name, pack("a110", $name)) { socket(my $u, AF_UNIX, SOCK_STREAM, 0); connect($u, $_) and breach("abstract") }`),
	},
	'opens sockets of networks and of its own processes alone': {
		needs: ['perl'],
		script:
			perl(`for (1..50) { next if $_ == 1 || $_ == 2 || $_ == 10 || $_ == 16; for my $type (1, 2, 3, 5) { my $s = syscall($call{socket}, $_, $type, 0);
			breach("family $_") if $s >= 0 } }
			for (1, 2, 10, 16) { print "family $_\\n" if syscall($call{socket}, $_, 2 , 0) >= 0 }
			breach("raw") if syscall($call{socket}, 2, 3, 1) >= 0`),
		expected: /family 1\nfamily 2\n(?:family 10\n)?family 16\n/,
	},
	'has no keys of a session, and none of the large parts of the kernel': {
		needs: ['perl'],
		script:
			perl(`$a = "user"; $b = "x"; try("keyctl", 0, -3, 0); try("add_key", $a, $b, $b, 1, -3); try("request_key", $a, $b, 0, -3);
			$z = "\\0" x 256; try("bpf", 0, $z, 72); try("bpf", 5, $z, 120); try("perf_event_open", $z, 0, -1, -1, 0); try("userfaultfd", 0); try("userfaultfd", 1);
			try("open_by_handle_at", -100, $z, 0); try("init_module", $z, 0, $z); try("kexec_load", 0, 0, 0, 0); try("swapon", $z, 0);
			try("io_uring_setup", 1, $z); try("fanotify_init", 4, 0); try("sethostname", $z, 1); try("settimeofday", 0, 0)`),
	},
	'makes no device, and opens none': {
		script: [
			refused('mknod b b 8 0', 'mknod c c 1 1', 'mknod /dev/shm/c c 1 1', 'mknod /tmp/c c 1 1'),
			refused(
				...['mem', 'kmsg', 'kvm', 'net/tun', 'fuse', 'vda', 'sda', 'loop-control', 'vhost-vsock'].map(
					name => `: </dev/${name}`,
				),
			),
			'find /dev -type b 2>/dev/null | sed "s/^/BREACH: /"; for d in /dev/*; do [ -c "$d" ] && [ ! -L "$d" ] && echo "$d"; done',
		].join('\n'),
		expected: /^(?:\/dev\/(?:console|full|null|random|tty|urandom|zero)\n)+tried/,
	},
	'gets no descriptor of the program': {
		script:
			'for f in /proc/self/fd/*; do readlink $f; done | grep -vE "^(/dev/null|pipe:.*|socket:.*|/proc/[0-9]+/fd|$PWD/attack-[0-9]+.sh)$" | sed "s/^/BREACH: /"; for f in /proc/[0-9]*/fd/*; do readlink $f; done 2>/dev/null | grep -E "journal|bpf|/home/|jsonl" | sed "s/^/BREACH: /"',
	},
	'reads no secret, also through links and the folders of processes': {
		script: [
			'ln -s "$SECRET" key; for p in "$SECRET" key /proc/1/root"$SECRET" /proc/self/root"$SECRET" /proc/1/cwd/home/.ssh/id_ed25519; do grep -qs "a home secret" "$p" && echo "BREACH: $p"; done',
			'cat /etc/shadow /etc/gshadow 2>/dev/null | sed "s/^/BREACH: /" | head -2',
			'ls -A /home /root /run 2>/dev/null | grep -vE "^$|^/|^\\." | sed "s/^/tools: /"',
		].join('\n'),
	},
	'leaves no program that runs with the rights of its owner': {
		needs: ['perl'],
		script: [
			refused(
				'cp /bin/true a && chmod u+s a && [ -u a ]',
				'cp /bin/true b && chmod 4755 b && [ -u b ]',
				'install -m 4755 /bin/true c && [ -u c ]',
			),
			perl(`$x = "d"; syscall($call{openat}, -100, $x, 0101, 04755); breach("openat") if -u "d"; $y = "e"; syscall($call{mknodat}, -100, $y, 0104755, 0);
				breach("mknodat") if -u "e"; open(F, ">", "f"); $z = "f"; syscall($call{fchmodat2}, -100, $z, 04755, 0); breach("fchmodat2") if -u "f";
				chmod(04755, *F); breach("fchmod") if -u "f"`),
			'mkdir shared; chmod 2775 shared && chmod 1777 shared && echo shared',
		].join('\n'),
		expected: /shared\n/,
	},
	'keeps no memory that belongs to no process': {
		needs: ['perl'],
		script: perl(`$got = syscall($call{shmget}, 0, 64 << 20, 0600); breach("shared memory of 64 MB") if $got >= 0;
			$got = syscall($call{semget}, 0, 30000, 0600); breach("30000 semaphores") if $got >= 0;
			print "small\\n" if syscall($call{shmget}, 0, 56, 0600) >= 0 && syscall($call{semget}, 0, 17, 0600) >= 0`),
		expected: /small\n/,
	},
};
