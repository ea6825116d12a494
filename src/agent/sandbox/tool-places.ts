/** Folders and files of a home that programs of developers read, and that hold no secrets. Below the home folder. */
export const toolPlaces: readonly string[] = [
	...[
		'bin',
		'.local/bin',
		'.local/lib',
		'.local/pipx',
		'.local/share/pipx',
		'.local/share/uv',
		'.local/share/virtualenvs',
	],
	...[
		'.nvm',
		'.fnm',
		'.local/share/fnm',
		'.local/state/fnm_multishells',
		'.volta',
		'.n',
		'.nodenv',
		'.npm',
		'.npm-global',
	],
	...['.yarn', '.local/share/pnpm', '.local/share/yarn', '.bun', '.deno', '.corepack', '.node-gyp'],
	...['.cargo', '.rustup', 'go', '.go', '.goenv', '.gvm', '.pyenv', '.conda', '.rbenv', '.rvm', '.gem', '.bundle'],
	...['.m2', '.gradle', '.sdkman', '.jenv', '.ivy2', '.sbt', '.konan', '.dotnet', '.composer', '.local/share/composer'],
	...['.asdf', '.asdfrc', '.tool-versions', '.local/share/mise', '.config/mise', '.nix-profile', '.nix-defexpr'],
	...['.local/state/nix', '.linuxbrew', '.ghcup', '.cabal', '.stack', '.opam', '.elan', '.julia', '.mix', '.hex'],
	...['.pub-cache', 'flutter', 'Android/Sdk', '.android/sdk', '.vcpkg', '.conan2', '.ccache', '.cache'],
	...['.gitconfig', '.config/git', '.gitignore', '.gitignore_global', '.gitattributes', '.editorconfig'],
];

/** Folders that hold tools beside much else: only what `toolPlaces` names in them is readable. */
export const mixedFolders: readonly string[] = ['.local', '.config', 'Library', 'snap', 'AppData', 'Documents'];
