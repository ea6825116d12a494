import {execFile} from 'node:child_process';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {compiledPath} from '../../../.scripts/compile-modules.mjs';
import {commands} from '../../../commands/index.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {promptToKeep} from '../../../src/command/secret-line.ts';
import {AppError, reportError} from '../../../src/core/error.ts';
import {redact, redactKnown, redactKnownLines, redactLines} from '../../../src/core/secrets/redact.ts';
import {hasKnownSecret, secretKinds} from '../../../src/core/secrets/secret-kinds.ts';
import {quoteLine, quoteLog} from '../../../src/logs/quote.ts';
import {createToken, tokenKinds} from '../../../src/server/accounts/token.ts';
import {makeWorkspace} from '../../agent/tools/workspace.ts';
import {expectLinear} from '../../growth.ts';

const word = (length: number) => 'aB3dE5fG7h'.repeat(Math.ceil(length / 10)).slice(0, length);

/** One or more examples of each kind. */
const examples: Readonly<Record<keyof typeof secretKinds, readonly string[]>> = {
	'our server': tokenKinds.map(kind => createToken(kind).token.reveal()),
	'OpenAI, Anthropic, OpenRouter, DeepSeek': [
		`sk-${word(48)}`,
		`sk-proj-${word(60)}`,
		`sk-ant-api03-${word(40)}-_${word(40)}`,
		`sk-ant-abcdefghijklmnop`,
		`sk-or-v1-${'0a'.repeat(32)}`,
	],
	xAI: [`xai-${word(80)}`],
	Groq: [`gsk_${word(52)}`],
	Cerebras: [`csk-${word(48)}`],
	Fireworks: [`fw_${word(24)}`],
	Together: [`tgp_v1_${word(43)}`],
	Perplexity: [`pplx-${word(48)}`],
	Replicate: [`r8_${word(37)}`],
	'Hugging Face': [`hf_${word(34)}`],
	'Google API key': [`AIzaSy${word(33)}`],
	'Google OAuth': [`GOCSPX-${word(28)}`, `ya29.a0${word(60)}`],
	GitHub: [`ghp_${word(36)}`, `gho_${word(36)}`, `github_pat_${word(22)}_${word(59)}`],
	GitLab: [`glpat-${word(20)}`],
	'AWS key id': ['AKIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE'],
	Slack: [`xoxb-123456789012-${word(24)}`, `xapp-1-A0123-${word(20)}`],
	Stripe: [`sk_live_${word(24)}`, `rk_test_${word(24)}`],
	npm: [`npm_${word(36)}`],
	PyPI: [`pypi-AgEIcHlwaS5vcmc${word(60)}`],
	SendGrid: [`SG.${word(22)}.${word(43)}`],
	DigitalOcean: [`dop_v1_${'0a'.repeat(32)}`],
	Docker: [`dckr_pat_${word(27)}`],
	Vault: [`hvs.${word(24)}`],
	age: [`AGE-SECRET-KEY-1${'Q9'.repeat(29)}`],
	'JSON Web Token': ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
};

const all = Object.entries(examples).flatMap(([kind, secrets]) => secrets.map(secret => [kind, secret] as const));

test('there is an example of every kind', () => {
	expect(Object.keys(examples)).toEqual(Object.keys(secretKinds));
});

test.each(all)('%s: %s is hidden in everything that is shown, sent or stored [8]', (_, secret) => {
	const line = `use ${secret}, please`;
	const places = {
		known: redactKnown(line),
		looks: redact(line),
		lines: redactLines([line]).join(''),
		knownLines: redactKnownLines([line]).join(''),
		log: quoteLog([{seq: 1, text: line}], {lines: 9, characters: 9000}),
		logLine: quoteLine(line, 900),
		history: promptToKeep(commands, line),
		error: reportError(new AppError('failed', line, {hint: line})).message,
		hint: reportError(new AppError('failed', 'no', {hint: line})).hint ?? '',
		bug: reportError(new Error(line)).message,
	};
	for (const [place, text] of Object.entries(places)) {
		expect(text, place).not.toContain(secret.slice(-8));
		expect(text, place).toContain('***');
	}

	// A command that was meant to take it, but is misspelt.
	expect(promptToKeep(commands, `/kyes set openai ${secret}`)).toBe('');
});

test('each is hidden in what is read of a file and found in it [8]', async () => {
	const text = all.map(([, secret]) => `KEY=${secret} # mine`).join('\n');
	const {stateFolder, context} = await makeWorkspace({'a.txt': text});
	const found = [
		await createReadFile({stateFolder}).run({path: 'a.txt'}, context),
		await createSearchText({stateFolder}).run({pattern: 'KEY'}, context),
	];
	for (const lines of found.map(each => each.split('\n').filter(line => line.includes('KEY=')))) {
		expect(lines).toHaveLength(all.length);
		expect(lines.filter(line => !line.includes('***'))).toEqual([]);
		expect(all.filter(([, secret]) => lines.join('\n').includes(secret.slice(-8)))).toEqual([]);
	}
});

test('a secret is recognized next to any character except a letter or a digit [8]', () => {
	const secret = fc.constantFrom(...all.map(([, one]) => one));
	const before = fc.constantFrom('', ' ', '"', "'", '=', ':', '_', '-', '/', '(', '\n', '⟨', 'é', '\u0000');
	const behind = fc.constantFrom('', ' ', '"', "'", ',', ';', ')', '\n', '\\n', '⟩', '\u0000');
	fc.assert(
		fc.property(before, secret, behind, (left, one, right) => {
			expect(hasKnownSecret(left + one + right)).toBe(true);
			expect(redactKnown(left + one + right)).not.toContain(one.slice(-8));
		}),
	);
});

test.each([
	'class="sk-circle-fade-dot sk-cube-grid sk-cube2-parent"',
	'import svc_account_manager_handler from "./svc.ts";',
	'const token = await getToken(); password: string',
	'risk-assessment-of-2025-and-later, disk-usage-12345678901234',
	'npm_config_registry, npm_package_config_port_of_the_preview, hf_hub_download, gsk_init',
	'commit 3c87b24f0e1d2c3b4a5968778695a4b3c2d1e0f9',
	'eyJ and SG.x.y and hvs.short',
	'-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END CERTIFICATE-----',
])('%j has none, and is unchanged if only known kinds are hidden', text => {
	expect(redactKnown(text)).toBe(text);
	expect(hasKnownSecret(text)).toBe(false);
});

test.each([
	'sk-',
	'sk-ant-',
	'sk-a',
	'eyJaaaaaaaa.',
	'eyJ-',
	'eyJaaaaaaaa_',
	'SG.',
	'xoxb-',
	'github_pat_',
	'-----BEGIN PRIVATE KEY-----',
	'-',
])('%j repeated takes linear time', piece => {
	expectLinear(size => redactKnown(piece.repeat(size)), 5000);
});

/** Beginnings, each with what is repeated behind it, and what hides secrets. */
const longTexts = [
	['-----BEGIN PRIVATE KEY-----', 'A', 'redactKnown'],
	['-----BEGIN PRIVATE KEY-----', 'A-', 'redactKnown'],
	['eyJ', 'A', 'redactKnown'],
	['eyJ', 'A-', 'redactKnown'],
	['sk-', '1', 'redactKnown'],
	// Found by name or position, after what all the others are looked for by.
	['token=', 'A', 'redact'],
	['Bearer ', 'A', 'redact'],
] as const;

test('a beginning with 20 million characters behind it is read to its end', async () => {
	// Expressions are compiled there, as in the program. Here they are interpreted, which takes several times as long.
	const program = `
		import * as secrets from ${JSON.stringify(pathToFileURL(compiledPath('src/core/secrets/redact.ts')).href)};
		for (const [start, piece, name] of ${JSON.stringify(longTexts)}) {
			secrets[name](start + piece.repeat(20_000_000 / piece.length));
			console.log(start + piece);
		}`;
	const {stdout} = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
	expect(stdout.trim().split('\n')).toEqual(longTexts.map(([start, piece]) => start + piece));
});
