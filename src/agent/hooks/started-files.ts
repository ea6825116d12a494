/** Programs that run what files of the folder say, with the names of those files. */
const starters: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
	[/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/, ['.npmrc', '.yarnrc', '.yarnrc.yml', 'bunfig.toml', '.pnpmfile.cjs']],
	[/^g?make$/, ['Makefile', 'makefile', 'GNUmakefile']],
	[/^just$/, ['justfile', 'Justfile', '.justfile']],
	[/^task$/, ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml']],
	[/^deno$/, ['deno.json', 'deno.jsonc']],
	[/^rake$/, ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb']],
	[/^tox$/, ['tox.ini', 'setup.cfg', 'pyproject.toml']],
	[/^(?:uv|poetry|pdm|hatch)$/, ['pyproject.toml']],
	[/^nox$/, ['noxfile.py']],
	[/^(?:invoke|inv)$/, ['tasks.py']],
	[/^pre-commit$/, ['.pre-commit-config.yaml']],
	[/^lefthook$/, ['lefthook.yml', 'lefthook.yaml', '.lefthook.yml', 'lefthook-local.yml']],
	[/^composer$/, ['composer.json']],
	[/^mise$/, ['mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml']],
];

/** Returns the names of the files whose content decides what a program runs. */
export function startedBy(program: string): readonly string[] {
	const name = program.slice(program.lastIndexOf('/') + 1);
	return starters.flatMap(([pattern, files]) => (pattern.test(name) ? files : []));
}

/** True for a program that runs the scripts of a `package.json`. */
export function runsPackageScripts(program: string): boolean {
	return /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/.test(program.slice(program.lastIndexOf('/') + 1));
}
