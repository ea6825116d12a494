/** Flags of a line without a command, by every way to write them. */
export const runFlags = {
	'-p': 'prompt',
	'--print': 'prompt',
	'-c': 'continue',
	'--continue': 'continue',
	'-r': 'resume',
	'--resume': 'resume',
	'-m': 'model',
	'--model': 'model',
	'--output-format': 'format',
	'--max-turns': 'turns',
	'--budget': 'budget',
	'--approve': 'approve',
	'--profile': 'profile',
	'--insecure-http': 'insecure',
	'-v': 'version',
	'--version': 'version',
	'-h': 'help',
	'--help': 'help',
} as const;

export type RunFlag = (typeof runFlags)[keyof typeof runFlags];

/** One flag for help and the README: how it is written, and what it does in a sentence without a full stop. */
export type FlagHelp = {readonly usage: string; readonly summary: string};

/** In the order shown. */
export const runFlagHelp: Readonly<Record<RunFlag, FlagHelp>> = {
	prompt: {usage: '-p, --print "prompt"', summary: 'Answer once, without the app; piped input is added'},
	continue: {usage: '-c, --continue', summary: 'Resume the latest session of this folder'},
	resume: {usage: '-r, --resume [id]', summary: 'Resume a session; omit the id to select one'},
	model: {usage: '-m, --model provider/name', summary: 'Use this model'},
	format: {usage: '--output-format format', summary: 'What -p prints: text, json or stream-json'},
	turns: {usage: '--max-turns n', summary: 'End a -p run after n model calls (default 100)'},
	budget: {usage: '--budget usd', summary: 'End a -p run that has cost this many dollars'},
	approve: {usage: '--approve mode', summary: 'What -p may do without asking: never, edits or all'},
	profile: {usage: '--profile name', summary: 'Use this profile'},
	insecure: {usage: '--insecure-http', summary: 'Allow plain http beyond this machine'},
	version: {usage: '-v, --version', summary: 'Print the version'},
	help: {usage: '-h, --help', summary: 'Print this help'},
};
