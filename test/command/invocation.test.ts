import {expect, test} from 'vitest';
import {runFlags} from '../../src/command/flags.ts';
import {flagUsage} from '../../src/command/help.ts';
import {readInvocation} from '../../src/command/invocation.ts';

const none = {
	model: undefined,
	resume: undefined,
	maxTurns: undefined,
	budgetUsd: undefined,
	effort: undefined,
	approve: undefined,
	allow: [],
	profile: undefined,
	accessible: false,
	insecureHttp: false,
	trust: false,
};
const app = {mode: 'app', pick: false, ...none};
const once = {mode: 'once', prompt: 'Hi', format: 'text', ...none};

test.each([
	[[], app],
	[['-c'], {...app, resume: 'latest'}],
	[['--continue'], {...app, resume: 'latest'}],
	[['--resume'], {...app, pick: true}],
	[['-r'], {...app, pick: true}],
	[['--resume', '3f2a'], {...app, resume: '3f2a'}],
	[['--resume=3f2a'], {...app, resume: '3f2a'}],
	[['-r', '-m', 'openai/gpt'], {...app, pick: true, model: 'openai/gpt'}],
	[['--model', 'Groq/openai/gpt-oss'], {...app, model: 'groq/openai/gpt-oss'}],
	[['--profile', 'lab'], {...app, profile: 'lab'}],
	[['--insecure-http'], {...app, insecureHttp: true}],
	[['--accessible'], {...app, accessible: true}],
	[['--approve', 'edits'], {...app, approve: 'edits'}],
	[['explain this'], {...app, prompt: 'explain this'}],
	[['explain this', '-m', 'openai/gpt'], {...app, prompt: 'explain this', model: 'openai/gpt'}],
	[['-c', 'and now?'], {...app, resume: 'latest', prompt: 'and now?'}],
	[['--continue', '--profile', 'lab', 'and\nnow?'], {...app, resume: 'latest', profile: 'lab', prompt: 'and\nnow?'}],
	[['statsu'], {mode: 'command', words: ['statsu']}],
	[['statsu '], {mode: 'command', words: ['statsu ']}],
	[['-p', 'Hi'], once],
	[['--print', 'Hi'], once],
	[['--print=Hi=there'], {...once, prompt: 'Hi=there'}],
	[['-p'], {...once, prompt: undefined}],
	[['-p', ''], {...once, prompt: undefined}],
	[['-p', '--output-format', 'json'], {...once, prompt: undefined, format: 'json'}],
	[['--output-format', 'json', '-p'], {...once, prompt: undefined, format: 'json'}],
	[['-p', '- a list'], {...once, prompt: '- a list'}],
	[['-p', '-5 + 3'], {...once, prompt: '-5 + 3'}],
	[['-p', '--flag means what?'], {...once, prompt: '--flag means what?'}],
	[['-p', '--', '--trust'], {...once, prompt: '--trust', isVerbatim: true}],
	[['-p', '--', '/tmp is full'], {...once, prompt: '/tmp is full', isVerbatim: true}],
	[['-p', '-'], {...once, prompt: undefined}],
	[['-p', '--', '-'], {...once, prompt: '-', isVerbatim: true}],
	[['-p', 'Hi', '--strict', '--wait-jobs', '--stdin', 'wait'], {...once, strict: true, waitJobs: true, stdin: 'wait'}],
	[['--', '/tmp is full'], {...app, prompt: '/tmp is full', isVerbatim: true}],
	[['/review a.ts'], {...app, prompt: '/review a.ts'}],
	[['-m', 'openai/gpt', '-p', '--', '-v'], {...once, model: 'openai/gpt', prompt: '-v', isVerbatim: true}],
	[['--', '--what is this?'], {...app, prompt: '--what is this?', isVerbatim: true}],
	[['-c', '--', 'next'], {...app, resume: 'latest', prompt: 'next', isVerbatim: true}],
	[['-p', 'Hi', '--output-format=stream-json'], {...once, format: 'stream-json'}],
	[['-p', 'Hi', '-c'], {...once, resume: 'latest'}],
	[['-p', 'Hi', '--resume', '3f2a'], {...once, resume: '3f2a'}],
	[['-p', '--resume', '3f2a', 'Hi'], {...once, resume: '3f2a'}],
	[['-c', '-p', '-m', 'openai/gpt', 'Hi'], {...once, resume: 'latest', model: 'openai/gpt'}],
	[['-p', '--max-turns=3', '-'], {...once, prompt: undefined, maxTurns: 3}],
	[['-p', 'Hi', '--max-turns', '3', '--budget', '0.5'], {...once, maxTurns: 3, budgetUsd: 0.5}],
	[['-p', 'Hi', '--budget', '$2'], {...once, budgetUsd: 2}],
	[['-p', 'Hi', '--effort=high'], {...once, effort: 'high'}],
	[['-p', 'Hi', '--approve', 'never'], {...once, approve: 'never'}],
	[['-p', 'Hi', '--approve', 'all'], {...once, approve: 'all'}],
	[
		['-p', 'Hi', '--allow', 'run_command(npm test *)', '--allow=read_file(.env)'],
		{...once, allow: ['run_command(npm test *)', 'read_file(.env)']},
	],
	[['--version'], {mode: 'version'}],
	[['-v'], {mode: 'version'}],
	[['__complete', '--', 'keys', ''], {mode: 'complete', words: ['keys', ''], kept: 0}],
	[['__complete', '--'], {mode: 'complete', words: [], kept: 0}],
	[['__complete', '--line', 'service a "b c" k', 'k'], {mode: 'complete', words: ['a', 'b c', 'k'], kept: 0}],
	[['__complete', '--line', "svc 'a b", 'a b'], {mode: 'complete', words: ['a b'], kept: 0}],
	[['__complete', '--line', 'svc --url=http://x:1', '1'], {mode: 'complete', words: ['--url=http://x:1'], kept: 15}],
	[['__complete', '--line', 'svc a\\ b', 'a\\ b'], {mode: 'complete', words: ['a b'], kept: 0}],
	[['__complete', '--line', 'svc ', ''], {mode: 'complete', words: [''], kept: 0}],
	[['__complete', '--line'], {mode: 'complete', words: [], kept: 0}],
	[['__complete', 'x'], {mode: 'command', words: ['__complete', 'x']}],
	[['--help'], {mode: 'command', words: ['help']}],
	[['-p', 'Hi', '-h'], {mode: 'command', words: ['help']}],
	[['keys', 'set', '-p'], {mode: 'command', words: ['keys', 'set', '-p']}],
])('%j is understood', (argv, invocation) => {
	expect(readInvocation(argv)).toEqual(invocation);
});

const help = 'Run `$ help` to see them all.';

test.each([
	[['--modle', 'x'], 'Unknown flag --modle. Did you mean --model?', help],
	[['-x'], 'Unknown flag -x.', help],
	[['--constructor'], 'Unknown flag --constructor.', help],
	[['--'], 'Unknown flag --.', help],
	[['explain this', 'and that'], 'Unexpected argument “and that”.', 'Put the whole prompt in quotes.'],
	[['-p', 'Hi', '--', 'explain'], 'Two prompts given.', 'Put the whole prompt in quotes after -p.'],
	[['-p', '--', 'explain', 'this'], 'Unexpected argument “this”.', 'Put the whole prompt in quotes.'],
	[['explain this', '-p', 'Hi'], 'Two prompts given.', 'Put the whole prompt in quotes after -p.'],
	[['-p', 'two', 'words'], 'Unexpected argument “words”.', 'Put the whole prompt in quotes.'],
	[['-c', 'whoami'], 'Unexpected argument “whoami”.', 'Put the command before its flags.'],
	[['--profile', 'lab', 'whoami'], 'Unexpected argument “whoami”.', 'Put the command before its flags.'],
	[['--json', 'whoami'], 'Unknown flag --json.', 'Put the command before its flags.'],
	[['-p', 'Hi', '--json'], 'Unknown flag --json.', 'With -p, pass --output-format json.'],
	[['--server', 'http://a', 'whoami'], 'Unknown flag --server.', 'Put the command before its flags.'],
	[['--model'], '--model needs a value.', undefined],
	[['--model', '--profile', 'x'], '--model needs a value.', undefined],
	[['--model', 'gpt'], 'Invalid model “gpt”.', expect.stringContaining('provider/model-name')],
	[['--model', 'opennai/gpt'], 'Unknown provider “opennai”.', expect.stringContaining('anthropic, openai')],
	[['--model='], '--model needs a value.', undefined],
	[
		['-p', 'Hi', '--output-format', 'xml'],
		'--output-format takes text, json, stream-json, stream-json-old, not “xml”.',
		undefined,
	],
	[['-p', 'Hi', '--approve', 'some'], '--approve takes never, edits, all, not “some”.', undefined],
	[['-p', 'Hi', '--max-turns', '0'], '--max-turns takes a positive whole number, not “0”.', undefined],
	[['-p', 'Hi', '--max-turns', '1.5'], '--max-turns takes a positive whole number, not “1.5”.', undefined],
	[['-p', 'Hi', '--max-turns', 'x'], '--max-turns takes a positive whole number, not “x”.', undefined],
	[['-p', 'Hi', '--max-turns='], '--max-turns needs a value.', undefined],
	[['-p', 'Hi', '--max-turns', '-1'], '--max-turns takes a positive whole number, not “-1”.', undefined],
	[['-p', 'Hi', '--effort', 'extreme'], '--effort takes low, medium, high, max, not “extreme”.', undefined],
	[['-p', 'Hi', '--budget', '0'], 'A budget of “0” is too small: nothing could be sent.', expect.any(String)],
	[['-p', 'Hi', '--budget', '-1'], 'Invalid amount “-1”.', expect.any(String)],
	[['-p', 'Hi', '--budget', '1e9'], 'Invalid amount “1e9”.', expect.any(String)],
	[['-p', 'Hi', '--budget=1000000000'], 'A budget of “1000000000” is too large.', 'Use at most 1000000 dollars.'],
	[
		['--resume', '-p', 'Hi'],
		'--resume needs an id with -p (not interactive).',
		'Pass the id, or -c for the latest session of this folder.',
	],
	[['-c', '--resume', 'x'], "--continue and --resume can't be combined.", 'Pass one of them.'],
	[['--profile='], '--profile needs a value.', undefined],
	[['--version=2'], '--version takes no value.', undefined],
	[['--output-format', 'json'], '--output-format needs -p.', expect.any(String)],
	[['--max-turns', '3'], '--max-turns needs -p.', expect.any(String)],
	[['-c', '--budget', '3'], '--budget needs -p.', expect.any(String)],
])('%j is refused: %s', (argv, message, hint) => {
	expect(() => readInvocation(argv)).toThrowError(expect.objectContaining({code: 'usage', message, hint}));
});

test('help shows every form of a flag', () => {
	for (const flag of Object.values(runFlags)) {
		expect(flagUsage(flag).split(/[ ,]+/)).toEqual(expect.arrayContaining([...flag.names]));
	}
});
