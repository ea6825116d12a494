/**
 * Files that hold secrets by what they are: a model is shown one only after the user allowed it. Each entry says why. `*`
 * stands for any characters of a name; an entry with `/` is for a file in a folder of that name.
 */
const secretFiles: Readonly<Record<string, readonly string[]>> = {
	'settings of a program, as its environment': ['.env', '.env.*', '*.env', '.envrc', '.dev.vars', '.dev.vars.*'],
	'logins of package registries': [
		'.npmrc',
		'.pypirc',
		'.yarnrc',
		'.gem/credentials',
		'.m2/settings*.xml',
		'auth.json',
	],
	'logins of servers and databases': ['.netrc', '_netrc', '.pgpass', 'pgpass.conf', '.my.cnf', '.htpasswd'],
	'logins of git and of containers': ['.git-credentials', '.dockercfg', '.docker/config.json'],
	'logins of clouds': ['.boto', '.s3cfg', '.databrickscfg', '.vault-token', 'application_default_credentials.json'],
	'logins of clusters': ['kubeconfig', 'kubeconfig.*', '*.kubeconfig'],
	'keys of service accounts and apps': ['service-account*.json', 'service_account*.json', 'client_secret*.json'],
	'private keys, and certificates that come with them': ['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.ppk'],
	'stores of keys and passwords': ['*.jks', '*.keystore', '*.kdbx', '*.kdb'],
	'keys of SSH': ['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
	'credentials that call themselves so': ['credentials*', '.credentials*', '.secrets', '.secrets.*'],
	'secrets that call themselves so': ['secret.*', 'secrets.*'],
	'state and variables of Terraform, with every secret in clear': [
		'*.tfstate',
		'*.tfstate.*',
		'*.tfvars',
		'*.tfvars.json',
	],
	'settings of Terraform, with its tokens': ['.terraformrc', 'terraform.rc', 'credentials.tfrc.json'],
};

/** Folders that hold nothing else. */
const secretFolders = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.password-store'];

/** Names that are in the table and harmless: examples without values, public halves, and programs about credentials. */
const harmless =
	/\.(?:example|sample|template|tpl|dist|pub|md|mdx|rst|html|css|[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kts?|swift|cs|c|cc|cpp|h|hpp|ex|exs|scala|dart|snap)$/i;

const patterns = Object.values(secretFiles).flat().map(expressionOf);
const secret = new RegExp(
	`(?:^|/)(?:${patterns.join('|')})$|(?:^|/)(?:${secretFolders.map(expressionOf).join('|')})/`,
	'i',
);

/** True for a file that holds secrets by its name or folder, whatever is in it. `path` has `/`, and is a real one. */
export function isSecretFile(path: string): boolean {
	return secret.test(path) && !harmless.test(path);
}

function expressionOf(glob: string): string {
	return glob.replace(/[.+^$(){}|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
}
