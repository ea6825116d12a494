import {AppError} from '../../../core/error.ts';
import {proxyVariables} from '../../egress/relay-script.ts';
import {builtPath, statePath, volumePath, workspacePath} from '../docker/entry-script.ts';
import {type ArchiveEntry, createArchive, entriesFor} from '../docker/tar-archive.ts';
import type {SandboxSpec} from '../provider.ts';
import {sandboxUser} from './object-names.ts';

/** A file that is there once a server has told this pod to begin. It goes with the pod, so that no other pod begins by itself. */
const beginPath = '/tmp/.begin';

/** A folder that is there while a server fills this pod. */
const fillingPath = '/tmp/.filling';

/** The variables of the task. */
const environmentPath = `${statePath}/environment`;

/** Ends well once the pod has been told to begin, and once its build steps have ended. */
export const begunTest: readonly string[] = ['/bin/sh', '-c', `[ -e ${beginPath} ]`];
export const builtTest: readonly string[] = ['/bin/sh', '-c', `[ -e ${builtPath} ]`];

/**
 * The first words of a container's command. Waits until a server has written the files and said so, then becomes the words
 * that follow. After a pause, build steps that have ended aren't run again.
 */
export const waitScript: readonly string[] = [
	'/bin/sh',
	'-c',
	`exec 2>&1
umask 077
trap 'exit 143' TERM INT
until [ -e ${beginPath} ]; do { sleep 0.2 || sleep 1; } 2>/dev/null & wait $!; done
cd ${workspacePath} || exit 126
. ${environmentPath}
[ -e ${builtPath} ] && export SANDBOX_BUILT=yes
ulimit -c 0; ulimit -n 8192
exec "$@"`,
	'sandbox',
];

/**
 * Fills the volume from an archive on its input and lets the pod begin: its arguments are the id of the sandbox and the
 * length of the archive, because not every cluster can say where an input ends. A workspace of an earlier sandbox keeps
 * its files. What was begun stays as it is, also by another server at the same time; one that broke off is waited for in vain.
 */
const fillScript = `umask 077
tries=0
until mkdir ${fillingPath} 2>/dev/null || [ -e ${beginPath} ] || [ "$tries" -ge 50 ]; do
	tries=$((tries + 1))
	sleep 0.2 2>/dev/null || sleep 1
done
[ -e ${beginPath} ] && exit 0
trap 'rmdir ${fillingPath} 2>/dev/null' EXIT
cd ${volumePath} || exit 1
for tool in tar head cat mkdir; do command -v "$tool" >/dev/null || { echo "the image has no $tool"; exit 1; }; done
[ "$(cat state/sandbox 2>/dev/null)" = "$1" ] || rm -rf state
parts=state
[ -e filled ] || parts='state workspace'
head -c "$2" | tar -xf - $parts || { echo 'its files could not be unpacked'; exit 1; }
mkdir -p workspace && printf %s "$1" > state/sandbox && : > filled && : > ${beginPath}`;

/** Lets a pod begin whose volume was filled before it was paused. */
const resumeScript = `umask 077
[ -e ${environmentPath} ] || { echo 'its workspace is lost'; exit 1; }
: > ${beginPath}`;

export type BeginCommand = {readonly words: readonly string[]; readonly input?: Buffer};

export const resumeCommand: BeginCommand = {words: ['/bin/sh', '-c', resumeScript, 'resume']};

/** Returns what fills a pod. Throws AppError("failed") for files outside the workspace and variables that no shell has. */
export function fillCommand(spec: SandboxSpec): BeginCommand {
	const owner = sandboxUser;
	const files: readonly ArchiveEntry[] = [
		{path: 'state', mode: 0o700, owner},
		{path: 'state/environment', mode: 0o400, owner, content: Buffer.from(exportsOf(spec))},
		...entriesFor(spec.files, {folder: 'workspace', owner}),
	];
	const input = createArchive(files);
	return {words: ['/bin/sh', '-c', fillScript, 'fill', spec.id, String(input.length)], input};
}

/** Variables that the server decides about. */
const ownVariables: readonly string[] = ['HOME', 'TMPDIR', 'SANDBOX_ID', 'SANDBOX_BUILT'];
const proxyNames: readonly string[] = Object.keys(proxyVariables());

/** Returns lines of a shell that set variables to any text. */
function exportsOf({environment, network}: SandboxSpec): string {
	const decided = typeof network === 'object' ? [...ownVariables, ...proxyNames] : ownVariables;
	const lines = Object.entries(environment).map(([name, value]) => {
		if (!/^[a-z_]\w*$/i.test(name) || value.includes('\0')) {
			throw new AppError('failed', `The variable “${name}” of the task can’t be set in a sandbox.`);
		}

		return decided.includes(name) ? '' : `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`;
	});
	return lines.join('');
}
