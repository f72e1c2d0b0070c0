// SPDX-License-Identifier: Apache-2.0
// What other repositories take for their pipelines, run step by step in a small repository with a release that is
// packed here: the action, the reusable workflow, GitLab's components, and the examples for Jenkins and Buildkite.
//
//   SOURCE_ROOT=… WARPGAUGE=… FAKE_SUITE=… node others_test.mjs
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {
  chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync,
} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, test} from "node:test";
import {parse, parseAllDocuments} from "yaml";

const root = process.env.SOURCE_ROOT;
const scratch = mkdtempSync(join(tmpdir(), "warpgauge others "));
after(() => rmSync(scratch, {recursive: true}));
const read = (path) => readFileSync(join(root, path), "utf8");

// As ci/release.sh packs it, of the files that matter here.
const packed = join(scratch, "warpgauge-0.1.0");
mkdirSync(join(packed, "bin"), {recursive: true});
mkdirSync(join(packed, "share/warpgauge/pipeline"), {recursive: true});
copyFileSync(process.env.WARPGAUGE, join(packed, "bin/warpgauge"));
for (const name of readdirSync(join(root, "package/pipeline"))) {
  copyFileSync(join(root, "package/pipeline", name), join(packed, "share/warpgauge/pipeline", name));
}
const tarball = join(scratch, "release.tar.gz");
execFileSync("tar", ["-C", scratch, "-c", "-I", "gzip -1", "-f", tarball, "warpgauge-0.1.0"]);
const release = {
  url: `file://${tarball.replace(/ /g, "%20")}`,
  sha256: createHash("sha256").update(readFileSync(tarball)).digest("hex"),
};

// A clean environment, in which nothing of the machine is set and warpgauge is not installed.
const clean = {PATH: "/usr/local/bin:/usr/bin:/bin", HOME: scratch, GIT_CONFIG_NOSYSTEM: "1", LANG: "C"};

function bash(script, folder, env, options = ["-eo", "pipefail"]) {
  const ended = spawnSync("bash", ["--noprofile", "--norc", ...options, "-c", script],
    {cwd: folder, env: {...clean, ...env}, encoding: "utf8"});
  return {status: ended.status, said: ended.stdout + ended.stderr};
}

const times = (base) => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => base + 10 * (each % 3));

// A repository with a suite of two benchmarks, of which nothing is approved.
function repository() {
  const folder = mkdtempSync(join(scratch, "project-"));
  const git = (...words) => execFileSync("git", words, {cwd: folder, env: clean, stdio: "pipe", encoding: "utf8"}).trim();
  const slow = (base) => writeFileSync(join(folder, "plan.json"), JSON.stringify({
    passes: ["time"],
    log: join(folder, "runs.log"),
    device: {
      kind: "gpu", name: "NVIDIA H200", key: "nvidia-h200", uuid: "GPU-1", driver: "580.1", compute_capability: "9.0",
      multiprocessors: 132, l2_bytes: 62914560, memory_bytes: 150000000000,
    },
    benchmarks: {"a/padded/1": {time_ns: times(base)}, "a/shared/1": {time_ns: times(100000)}},
  }));
  git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [["name", "Ada"], ["email", "ada@example.org"]]) git("config", `user.${key}`, value);
  writeFileSync(join(folder, "suite.sh"), `#!/bin/sh\nFAKE_SUITE_PLAN=plan.json exec '${process.env.FAKE_SUITE}' "$@"\n`);
  chmodSync(join(folder, "suite.sh"), 0o755);
  writeFileSync(join(folder, ".gitignore"), "/results/\n/runs.log\n");
  slow(50000);
  const commit = (message) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    return git("rev-parse", "HEAD");
  };
  commit("A suite");
  const approve = () => execFileSync(process.env.WARPGAUGE,
    ["approve", "results/results.json", "--reason", "first"], {cwd: folder, env: clean, stdio: "pipe"});
  return {folder, git, slow, commit, approve};
}

// GitHub's expressions, as far as the action and the workflow use them.
function evaluated(expression, context) {
  const code = expression.replace(/\b(inputs|steps|needs|github|runner)((?:\.[\w-]+)+)/g, (_, name, rest) =>
    `${name}${rest.split(".").slice(1).map((part) => `?.[${JSON.stringify(part)}]`).join("")}`);
  const names = {inputs: {}, steps: {}, needs: {}, github: {}, runner: {}, ...context};
  return new Function(...Object.keys(names), "always", "cancelled", `return (${code})`)(
    ...Object.values(names), () => true, () => false);
}
const filledIn = (text, context) =>
  String(text).replace(/\$\{\{(.*?)\}\}/gs, (_, expression) => evaluated(expression.trim(), context) ?? "");

// Runs what the steps run, as a runner does: each in a shell of its own, until one fails.
function runSteps(steps, context, folder) {
  const place = mkdtempSync(join(scratch, "runner-"));
  const file = (name) => join(place, name);
  const kept = {
    RUNNER_TEMP: place, GITHUB_ACTIONS: "true", GITHUB_ACTION_PATH: root,
    GITHUB_PATH: file("path"), GITHUB_STEP_SUMMARY: file("summary"),
  };
  const all = {...context, runner: {temp: place, os: "Linux", arch: "X64"}, steps: {}};
  for (const name of ["path", "summary"]) writeFileSync(file(name), "");
  let status = 0;
  let said = "";
  for (const step of steps) {
    if (step.run === undefined || status !== 0) continue;
    if (step.if !== undefined && !evaluated(step.if, all)) continue;
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([key, value]) => [key, filledIn(value, all)]));
    writeFileSync(file("output"), "");
    const path = [...readFileSync(file("path"), "utf8").split("\n").filter(Boolean).reverse(), clean.PATH].join(":");
    const ended = bash(filledIn(step.run, all), folder, {...kept, PATH: path, GITHUB_OUTPUT: file("output"), ...env});
    ({status} = ended);
    said += ended.said;
    const outputs = readFileSync(file("output"), "utf8").split("\n").filter(Boolean)
      .map((line) => line.split(/=(.*)/s).slice(0, 2));
    if (step.id) all.steps[step.id] = {outputs: Object.fromEntries(outputs)};
  }
  return {status, said, summary: readFileSync(file("summary"), "utf8"), outputs: all.steps};
}

const action = parse(read("action.yml"));
const defaults = (inputs) =>
  Object.fromEntries(Object.entries(inputs).map(([name, each]) => [name, each.default ?? ""]));
function runAction(inputs, folder) {
  for (const name of Object.keys(inputs)) assert.ok(name in action.inputs, `the action has no input ${name}`);
  return runSteps(action.runs.steps, {inputs: {...defaults(action.inputs), ...inputs}, github: {}}, folder);
}
const released = {"release-url": release.url, "release-sha256": release.sha256};

test("every step of the action names its shell, and what it uses is pinned", () => {
  const text = read("action.yml");
  for (const step of action.runs.steps) {
    assert.equal(step.shell, step.run === undefined ? undefined : "bash", step.name);
    assert.ok(!step.run?.includes("${{"), `an expression in a command: ${step.name}`);
    const line = text.split("\n").find((each) => step.uses && each.includes(`uses: ${step.uses}`));
    assert.ok(!step.uses || /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line), step.uses);
  }
  for (const [, name] of text.matchAll(/inputs\.([\w-]+)/g)) assert.ok(name in action.inputs, name);
});

test("the action has no verdict at first, then passes, and is red where it got slower", () => {
  const project = repository();
  const inputs = {...released, suite: "./suite.sh", options: "--processes 5"};
  const first = runAction(inputs, project.folder);
  assert.equal(first.status, 3, first.said);
  project.approve();
  const second = runAction(inputs, project.folder);
  assert.equal(second.status, 0, second.said);
  assert.match(second.summary, /pass/);
  project.slow(60000);
  const third = runAction(inputs, project.folder);
  assert.equal(third.status, 1, third.said);
  assert.match(third.summary, /a\/padded\/1/);
  assert.match(third.said, /::error/, "annotations are shown");
  for (const name of ["results.json", "verdict.json", "warpgauge.sarif", "code-quality.json", "junit.xml", "summary.md"]) {
    assert.ok(existsSync(join(project.folder, "results", name)), name);
  }
});

test("a rule of the policy that the action is given decides", () => {
  const project = repository();
  writeFileSync(join(project.folder, "strict.toml"),
    '[[metric]]\nnames = ["time"]\nclass = "statistical"\nrelative_floor = 0.02\n[[ratio]]\nrule = "padded <= 0.4 * shared"\n');
  const ended = runAction({...released, suite: "./suite.sh", policy: "strict.toml"}, project.folder);
  assert.equal(ended.status, 1, ended.said);
  assert.match(ended.said, /> 0\.4 allowed by \[\[ratio\]\] \(strict\.toml:5\)/);
});

test("a program is gated by its command", () => {
  const project = repository();
  const ended = runAction({...released, command: "echo started >>log && false"}, project.folder);
  assert.notEqual(ended.status, 0);
});

test("options may stand on several lines, and none is lost or looked for among files", () => {
  const project = repository();
  writeFileSync(join(project.folder, "a.txt"), "");
  const inputs = {...released, suite: "./suite.sh", options: "--processes 5\n--filter a.*\n--no-such-option\n"};
  const ended = runAction(inputs, project.folder);
  assert.equal(ended.status, 64, ended.said);
  assert.match(ended.said, /--no-such-option/);
  const job = component("templates/gate.yml", {...tarred, suite: "./suite.sh", options: "--filter a.* --quiet"}).warpgauge;
  const gitlab = runGitlab(job, project.folder);
  assert.equal(gitlab.status, 3, gitlab.said);
});

test("a release with another sum is not unpacked, and one that lies there already is taken by its sum", () => {
  const project = repository();
  const wrong = runAction({...released, "release-sha256": "0".repeat(64), suite: "./suite.sh"}, project.folder);
  assert.equal(wrong.status, 4, wrong.said);
  assert.match(wrong.said, /has another SHA-256 sum than WARPGAUGE_SHA256/);
  assert.equal(runAction({...released, "release-sha256": "v1", suite: "x"}, project.folder).status, 4);
  const temp = mkdtempSync(join(scratch, "cached-"));
  const install = (url) => bash(`'${root}/package/pipeline/install.sh'`, project.folder,
    {WARPGAUGE_HOME: temp, WARPGAUGE_URL: url, WARPGAUGE_SHA256: release.sha256}).status;
  assert.equal(install(release.url), 0);
  assert.equal(install("file:///nowhere"), 0, "it is there");
  writeFileSync(join(temp, `${release.sha256}.tar.gz`), "of somebody else");
  assert.equal(install("file:///nowhere"), 4, "a cache that was written to is not believed");
  assert.equal(install(release.url), 0);
  const none = bash(`'${root}/package/pipeline/install.sh'`, project.folder, {});
  assert.equal(none.status, 4);
  assert.match(none.said, /WARPGAUGE_URL names no release/);
  const unpinned = bash(`'${root}/package/pipeline/install.sh'`, project.folder,
    {PATH: `${join(packed, "bin")}:${clean.PATH}`, WARPGAUGE_SHA256: release.sha256});
  assert.equal(unpinned.status, 4, "what is installed may have any sum");
});

test("one of suite, command and script is needed", () => {
  const project = repository();
  for (const inputs of [{}, {suite: "a", command: "b"}]) {
    const ended = runAction({...released, ...inputs}, project.folder);
    assert.equal(ended.status, 64, ended.said);
    assert.match(ended.said, /give one of suite, command and script, not [02]/);
  }
});

test("baselines of another branch are those of the commit that is named", () => {
  const project = repository();
  const inputs = {...released, suite: "./suite.sh"};
  assert.equal(runAction(inputs, project.folder).status, 3);
  project.approve();
  project.git("checkout", "--quiet", "--orphan", "perf");
  const revision = project.commit("Baselines");
  project.git("checkout", "--quiet", "--force", "main");
  // Only what the remote has.
  const clone = mkdtempSync(join(scratch, "clone-"));
  execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch=main", `file://${project.folder}`, clone], {env: clean});
  const pinned = runAction({...inputs, "baselines-revision": revision}, clone);
  assert.equal(pinned.status, 0, pinned.said);
  for (const [name, text] of [["perf", /is no commit: give all 40 digits/], ["0".repeat(40), /git has no commit/]]) {
    const ended = runAction({...inputs, "baselines-revision": name}, clone);
    assert.equal(ended.status, 4, ended.said);
    assert.match(ended.said, text);
  }
});

test("baselines of another folder have the sum that is named", () => {
  const project = repository();
  const inputs = {...released, suite: "./suite.sh"};
  assert.equal(runAction(inputs, project.folder).status, 3);
  project.approve();
  execFileSync("mv", ["baselines", "elsewhere"], {cwd: project.folder});
  const {said} = bash(`'${root}/package/pipeline/baselines.sh' --sum elsewhere`, project.folder, {});
  const pinned = {...inputs, baselines: "elsewhere", "baselines-sha256": said.trim()};
  const right = runAction(pinned, project.folder);
  assert.equal(right.status, 0, right.said);
  writeFileSync(join(project.folder, "elsewhere/note"), "somebody was here");
  const wrong = runAction(pinned, project.folder);
  assert.equal(wrong.status, 4);
  assert.match(wrong.said, /review what changed/);
  rmSync(join(project.folder, "elsewhere/note"));
  symlinkSync("/etc", join(project.folder, "elsewhere/nvidia-h100"));
  const linked = runAction(pinned, project.folder);
  assert.equal(linked.status, 4);
  assert.match(linked.said, /neither a file nor a folder, which no sum pins: \.\/nvidia-h100/);
  const twice = runAction({...pinned, "baselines-revision": "0".repeat(40)}, project.folder);
  assert.equal(twice.status, 4);
  assert.match(twice.said, /both BASELINES_REVISION and BASELINES_SHA256/);
});

test("a script gates by itself, and what it leaves is shown once", () => {
  const project = repository();
  const script = (text) => writeFileSync(join(project.folder, "gate.sh"), text);
  script('warpgauge gate --suite ./suite.sh --out results "$@" || status=$?\necho "base $MERGE_BASE" >>log\nexit "${status:-0}"\n');
  const inputs = {...released, script: "gate.sh", options: "--processes 4", "merge-base": "main", "pull-request": "7"};
  const first = runAction(inputs, project.folder);
  assert.equal(first.status, 3, first.said);
  assert.match(readFileSync(join(project.folder, "log"), "utf8"), /base main/);
  assert.ok(existsSync(join(project.folder, "results/junit.xml")));
  assert.equal(readFileSync(join(project.folder, "results/pull_request"), "utf8"), "7\n");
  assert.notEqual(first.summary, "");
  assert.equal(runAction({...inputs, policy: "p.toml"}, project.folder).status, 64);
  const filtered = runAction({...inputs, filter: "a/padded/1"}, project.folder);
  assert.match(`${filtered.status}: ${filtered.said}`, /^3: [^]*not only what is affected is gated: gate\.sh does not name FILTER/);
  script('echo "of $FILTER"\n');
  const using = runAction({...inputs, filter: "a/padded/1"}, project.folder);
  assert.match(using.said, /^of a\/padded\/1$/m);
  assert.doesNotMatch(using.said, /is gated/);
  script('echo mine >>"$GITHUB_STEP_SUMMARY"; touch results/summary.md; exit 0\n');
  assert.equal(runAction(inputs, project.folder).summary, "mine\n");
  // What an earlier gate left is not of one that ends early.
  script("exit 4\n");
  const early = runAction(inputs, project.folder);
  assert.equal(early.status, 4);
  assert.equal(early.summary, "");
});

test("what is built before is built in the same folder, and what fails there is not measured", () => {
  const project = repository();
  const inputs = {...released, suite: "./built", build: "cp suite.sh built"};
  assert.equal(runAction(inputs, project.folder).status, 3);
  for (const build of ["false", "false\ntrue\n", "false | cat", "cp nothing built; true"]) {
    const failed = runAction({...inputs, build}, project.folder);
    assert.equal(failed.status, 4, `what was built before is measured after: ${build}`);
    const job = component("templates/gate.yml", {...tarred, suite: "./built"}).warpgauge;
    assert.equal(runGitlab({...job, variables: {...job.variables, BUILD: build}}, project.folder).status, 4);
  }
});

const called = parse(read(".github/workflows/warpgauge.yml"));
function runJob(job, inputs, folder, needs = {}) {
  const known = called.on.workflow_call.inputs;
  for (const name of Object.keys(inputs)) assert.ok(name in known, `the workflow has no input ${name}`);
  const github = {event: {repository: {default_branch: "main"}}};
  return runSteps(called.jobs[job].steps, {inputs: {...defaults(known), ...inputs}, needs, github}, folder);
}

test("the reusable workflow asks for its runner only where a benchmark is affected", () => {
  const project = repository();
  const asks = (outputs) => evaluated(called.jobs.gate.if.replace(/\s+/g, " "),
    {needs: {affected: {outputs}}, github: {event_name: "push"}});
  for (const [affected, gpu, filter] of [["true", "false", undefined], ["echo 'a/padded/.*'", "true", "a/padded/.*"],
    ["exit 1", "true", "."], ["exit 1 | cat", "true", "."], ["false\necho", "true", "."]]) {
    const ended = runJob("affected", {...released, affected}, project.folder);
    assert.equal(ended.status, 0, ended.said);
    const {outputs} = ended.outputs.affected;
    assert.equal(outputs.gpu, gpu);
    assert.equal(outputs.filter || undefined, filter);
    assert.equal(asks(outputs), gpu === "true");
  }
  assert.ok(asks({}), "without the question everything is gated");
});

test("the reusable workflow takes a release that is installed on its runner", () => {
  const project = repository();
  project.git("update-ref", "refs/remotes/origin/main", "HEAD");
  for (const [more, says] of [[{}, /needs release-sha256/], [{"release-sha256": release.sha256.slice(1)}, /64 hex digits/],
    [{"release-sha256": "0".repeat(64)}, /FAILED/]]) {
    const ended = runJob("gate", {suite: "./suite.sh", "release-url": release.url, ...more}, project.folder);
    assert.match(`${ended.status} ${ended.said}`, new RegExp(`^4 [^]*${says.source}`));
  }
  rmSync(join(project.folder, ".warpgauge"), {recursive: true});
  assert.equal(runJob("gate", {...released, "release-url": "file:///nowhere", suite: "./suite.sh"}, project.folder).status, 4);
  const none = runJob("gate", {suite: "./suite.sh"}, project.folder);
  assert.equal(none.status, 4, none.said);
  assert.match(none.said, /warpgauge is not installed here, and release-url names no release/);
  const path = clean.PATH;
  clean.PATH = `${join(packed, "bin")}:${path}`;
  try {
    const first = runJob("gate", {suite: "./suite.sh"}, project.folder);
    assert.equal(first.status, 3, first.said);
    assert.equal(runJob("affected", {affected: "true"}, project.folder).outputs.affected.outputs.gpu, "false");
  } finally {
    clean.PATH = path;
  }
});

test("the reusable workflow downloads a release once for both jobs", () => {
  const project = repository();
  project.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const caches = Object.values(called.jobs).map(({steps}) => {
    const cache = steps.findIndex(({uses, with: given}) => uses?.startsWith("actions/cache@") && /release/.test(given.key));
    assert.ok(cache >= 0 && cache < steps.findIndex(({name}) => name === "Install Warpgauge"));
    return steps[cache];
  });
  assert.equal(caches.length, 2);
  assert.deepEqual(caches[0], caches[1]);
  const {key, path} = caches[0].with;
  assert.equal(filledIn(key, {inputs: {"release-sha256": "ab"}}), "warpgauge-release-ab");
  // As the cache leaves it there: from a folder that the jobs share.
  assert.equal(runJob("affected", {...released, affected: "true"}, project.folder).status, 0);
  assert.ok(existsSync(join(project.folder, path)));
  const away = {...released, "release-url": "file:///nowhere", suite: "./suite.sh"};
  const second = runJob("gate", away, project.folder);
  assert.equal(second.status, 3, second.said);
  writeFileSync(join(project.folder, path), "of somebody else");
  assert.equal(runJob("gate", away, project.folder).status, 4, "a cache that was written to is not believed");
});

test("the reusable workflow gates what is affected", () => {
  const project = repository();
  project.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const inputs = {...released, suite: "./suite.sh"};
  const needs = {affected: {outputs: {filter: "a/padded/1"}}};
  const first = runJob("gate", inputs, project.folder);
  assert.equal(first.status, 3, first.said);
  project.approve();
  assert.equal(runJob("gate", inputs, project.folder).status, 0);
  const part = runJob("gate", inputs, project.folder, needs);
  assert.equal(part.status, 0, part.said);
  assert.doesNotMatch(readFileSync(join(project.folder, "results/results.json"), "utf8"), /a\/shared\/1/);
  project.slow(60000);
  assert.equal(runJob("gate", inputs, project.folder, needs).status, 1);
});

// GitLab fills in inputs before it reads the file.
function component(path, inputs) {
  const text = read(path);
  const {inputs: known} = parseAllDocuments(text)[0].toJS().spec;
  const given = {...defaults(known), ...inputs};
  for (const name of Object.keys(inputs)) assert.ok(name in known, `no input ${name}`);
  return parse(text.split("\n---\n")[1].replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => {
    assert.ok(name in given, `no input ${name}`);
    return typeof given[name] === "string" ? given[name] : JSON.stringify(given[name]);
  }));
}
function runGitlab(job, folder) {
  const env = Object.fromEntries(Object.entries(job.variables).filter(([, value]) => !value.startsWith("$")));
  return bash(job.script.join("\n"), folder, {...env, CI_PROJECT_DIR: folder});
}
const tarred = {release_url: release.url, release_sha256: release.sha256};

test("GitLab's component gates, and keeps forks off", () => {
  const project = repository();
  const job = component("templates/gate.yml", {...tarred, suite: "./suite.sh", tags: ["gpu"], build: "true"}).warpgauge;
  assert.deepEqual(job.tags, ["gpu"]);
  assert.ok(job.rules.some((rule) => rule.when === "never" && rule.if.includes("SOURCE_PROJECT_ID")));
  const first = runGitlab(job, project.folder);
  assert.equal(first.status, 3, first.said);
  project.approve();
  assert.equal(runGitlab(job, project.folder).status, 0);
  project.slow(60000);
  assert.equal(runGitlab(job, project.folder).status, 1);
  assert.ok(existsSync(join(project.folder, job.artifacts.reports.codequality)));
  const wrong = component("templates/gate.yml", {...tarred, release_sha256: "0".repeat(64), suite: "./suite.sh"});
  assert.notEqual(runGitlab(wrong.warpgauge, project.folder).status, 0);
});

test("GitLab's other component starts the jobs of a file only where a benchmark is affected", () => {
  const project = repository();
  const jobs = (affected) => component("templates/affected.yml", {...tarred, affected, gate: "ci/gpu.yml"});
  const started = (affected) => {
    const ended = runGitlab(jobs(affected)["warpgauge-affected"], project.folder);
    assert.equal(ended.status, 0, ended.said);
    return parse(readFileSync(join(project.folder, "warpgauge-affected.yml"), "utf8"));
  };
  assert.deepEqual(Object.keys(started("true")), ["nothing-affected"]);
  // A $ in the name of a benchmark stays one: of another filter what is affected might be left out.
  const some = started("echo \\\"a/it's.*|b/[$]x\\\"");
  assert.deepEqual(some.include, [{local: "ci/gpu.yml"}]);
  assert.deepEqual(some.variables.FILTER, {value: "a/it's.*|b/[$]x", expand: false});
  // A project may have the scripts itself.
  const own = component("templates/affected.yml", {affected: "echo b", gate: "g.yml", pipeline: join(root, "package/pipeline")});
  assert.equal(runGitlab(own["warpgauge-affected"], project.folder).status, 0);
  assert.equal(parse(readFileSync(join(project.folder, "warpgauge-affected.yml"), "utf8")).variables.FILTER.value, "b");
  const {trigger} = jobs("x")["warpgauge-affected-gate"];
  assert.deepEqual(trigger.include, [{artifact: "warpgauge-affected.yml", job: "warpgauge-affected"}]);
  const gate = component("templates/gate.yml", {...tarred, suite: "./suite.sh"}).warpgauge;
  assert.ok(!("FILTER" in gate.variables), "that of the pipeline that started it holds");
});

test("the examples for Jenkins and Buildkite gate what is affected, and fetch a release once", () => {
  const {folder, git, approve} = repository();
  git("remote", "add", "origin", folder);
  git("fetch", "--quiet", "origin");
  // Keeps meta-data, and the names of the pipelines that were uploaded.
  const agent = join(scratch, "agent");
  mkdirSync(agent, {recursive: true});
  writeFileSync(join(agent, "buildkite-agent"), `#!/bin/sh
cd '${agent}'
case "$1 $2" in
"meta-data set") printf %s "$4" >filter ;;
"meta-data get") cat filter 2>/dev/null || echo "$5" ;;
"pipeline upload") echo "$3" >>uploaded ;;
esac
`);
  chmodSync(join(agent, "buildkite-agent"), 0o755);
  const env = {WARPGAUGE_URL: release.url, WARPGAUGE_SHA256: release.sha256, SUITE: "./suite.sh",
    MERGE_BASE: "origin/main", PATH: `${agent}:${clean.PATH}`};
  const jenkinsfile = read("docs/examples/pipelines/Jenkinsfile");
  const common = jenkinsfile.match(/def release = '''\n([^]*?)'''/)[1];
  const [asks, jenkins] = [...jenkinsfile.matchAll(/release \+ '''\n([^]*?)'''/g)].map((match) => common + match[1]);
  const commands = (name) => parse(read(`docs/examples/pipelines/${name}`)).steps[0].commands
    .filter((each) => !each.startsWith("cmake")).join("\n").replaceAll("$$", "$");
  const buildkite = commands("buildkite-gate.yml");
  // The release is unpacked beside the project, and its tarball kept in the home folder.
  const fresh = () => {
    for (const name of ["warpgauge", ".cache"]) rmSync(join(scratch, name), {recursive: true, force: true});
  };
  const run = (script, more = {}) => bash(script, folder, {...env, ...more}, ["-e"]);
  for (const script of [jenkins, buildkite]) {
    fresh();
    const first = run(script);
    assert.equal(first.status, 3, first.said);
    assert.equal(run(script, {WARPGAUGE_SHA256: "0".repeat(64)}).status, 4);
    assert.equal(run(script, {WARPGAUGE_SHA256: "1".repeat(64), WARPGAUGE_URL: "file:///nowhere"}).status, 4);
    const again = run(script, {WARPGAUGE_URL: "file:///nowhere"});
    assert.equal(again.status, 3, `it was there: ${again.said}`);
  }
  approve();
  for (const script of [jenkins, buildkite]) assert.equal(run(script).status, 0);
  // Buildkite's checkout may be old, and Jenkins fetches the change alone.
  const based = (script, more) => {
    const ended = run(`${script.replace("bash ../", 'echo "base ${MERGE_BASE-none}"; bash ../')}`, more);
    return [ended.status, ended.said.match(/^base (.*)$/m)[1], /Edits of baselines are not named/.test(ended.said)];
  };
  git("commit", "--quiet", "--allow-empty", "--message", "Newer");
  assert.deepEqual(based(buildkite, {}), [0, "origin/main", false]);
  assert.equal(git("rev-parse", "origin/main"), git("rev-parse", "main"));
  git("branch", "master");
  assert.deepEqual(based(buildkite, {BUILDKITE_PULL_REQUEST_BASE_BRANCH: "", BUILDKITE_PIPELINE_DEFAULT_BRANCH: "master"}),
    [0, "origin/master", false]);
  assert.deepEqual(based(jenkins, {}), [0, "origin/main", false]);
  const missing = {MERGE_BASE: "origin/release", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "release"};
  for (const script of [jenkins, buildkite]) assert.deepEqual(based(script, missing), [0, "none", true]);
  const results = () => readFileSync(join(folder, "results/results.json"), "utf8");
  // Jenkins takes what the first stage prints, Buildkite what it keeps.
  const said = spawnSync("bash", ["-e", "-c", asks],
    {cwd: folder, env: {...clean, ...env, AFFECTED: "echo a/padded/1"}, encoding: "utf8"});
  assert.equal(said.stdout, "a/padded/1\n", said.stderr);
  assert.equal(run(jenkins, {FILTER: said.stdout.trim()}).status, 0);
  assert.doesNotMatch(results(), /a\/shared\/1/);
  assert.equal(run(commands("buildkite.yml"), {AFFECTED: "true"}).status, 0);
  assert.ok(!existsSync(join(agent, "uploaded")), "nothing is affected");
  const asked = run(commands("buildkite.yml"), {AFFECTED: "echo a/shared/1"});
  assert.equal(asked.status, 0, asked.said);
  assert.equal(readFileSync(join(agent, "uploaded"), "utf8"), ".buildkite/gate.yml\n");
  assert.equal(run(buildkite).status, 0);
  assert.doesNotMatch(results(), /a\/padded\/1/);
});
