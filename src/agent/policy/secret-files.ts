/**
 * Names of secret files: a model sees one only if the user allows it. Each key says what the files hold. `*` matches any
 * characters of a name; an entry with `/` matches a file in a folder of that name.
 */
const secretFiles: Readonly<Record<string, readonly string[]>> = {
	'environment of a program': ['.env', '.env.*', '*.env', '.envrc', '.dev.vars', '.dev.vars.*', '.Renviron'],
	'package registry logins': ['.npmrc', '.pypirc', '.yarnrc', '.gem/credentials', '.m2/settings*.xml', 'auth.json'],
	'server and database logins': ['.netrc', '_netrc', '.pgpass', 'pgpass.conf', '.my.cnf', '.htpasswd'],
	'git and container logins': ['.git-credentials', '.dockercfg', '.docker/config.json'],
	'cloud logins': [
		'.boto',
		'.s3cfg',
		'.databrickscfg',
		'.vault-token',
		'application_default_credentials.json',
		'local.settings.json',
	],
	'cluster logins': ['kubeconfig', 'kubeconfig.*', '*.kubeconfig'],
	'keys of service accounts and apps': ['service-account*.json', 'service_account*.json', 'client_secret*.json'],
	'private keys and their certificates': ['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk'],
	'key and password stores': ['*.jks', '*.keystore', '*.kdbx', '*.kdb'],
	'SSH keys': ['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
	'credentials by name': ['credentials*', '.credentials*', '.secrets', '.secrets.*'],
	'secrets by name': ['secret.*', 'secrets.*', '.vault_pass*', '.vault-pass*'],
	'Terraform state and variables, with secrets in plain text': [
		'*.tfstate',
		'*.tfstate.*',
		'*.tfvars',
		'*.tfvars.json',
	],
	'Terraform settings, with tokens': ['.terraformrc', 'terraform.rc', 'credentials.tfrc.json'],
};

/** Folders whose files are all secret. */
const secretFolders = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.password-store'];

/** Harmless names that would match: examples without values, public keys, and source code about credentials. */
const harmless =
	/\.(?:example|sample|template|tpl|dist|pub|md|mdx|rst|html|css|[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kts?|swift|cs|c|cc|cpp|h|hpp|ex|exs|scala|dart|snap)$/i;

const patterns = Object.values(secretFiles).flat();
const names = new RegExp(`^(?:${alternatives(patterns.filter(pattern => !pattern.includes('/')))})$`, 'i');
const places = new RegExp(
	`(?:^|/)(?:(?:${alternatives(patterns.filter(pattern => pattern.includes('/')))})$|(?:${alternatives(secretFolders)})/)`,
	'i',
);

const isPlain = /^[\0-\x7F]*$/;

/** What editors, and people, add to the name of a file for a copy of it: at its end, and before it. */
const copyEnd = /(?:~|#|\.(?:bak|backup|copy|old|orig|prev|rej|save|saved|sw[a-p]|tmp|\d+))+$/i;
const copyStart = /^(?:#|\.#|\.(?=\.))/;

/** True for a file whose name or folder looks like one that suggests secrets, or that is a copy of one. `given` is a real path with `/`. */
export function isSecretFile(given: string): boolean {
	const path = isPlain.test(given) ? given : given.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
	// Most names are neither: they are tested alone, which is quick.
	const start = path.lastIndexOf('/') + 1;
	const name = path.slice(start);
	const original = name.replace(copyEnd, '').replace(copyStart, '');
	const isNamed = names.test(name) || names.test(original);
	return (isNamed || places.test(path) || places.test(path.slice(0, start) + original)) && !harmless.test(original);
}

/** True for a file that is secret because of its folder: elsewhere it would not be. */
export function isSecretByFolder(path: string): boolean {
	return isSecretFile(path) && !isSecretFile(path.slice(path.lastIndexOf('/') + 1));
}

function alternatives(globs: readonly string[]): string {
	return globs.map(globSource).join('|');
}

/** Returns a glob of a name as the source of an expression: `*` stands for any characters of the name. */
export function globSource(glob: string): string {
	return glob.replace(/[.+^$(){}|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
}
