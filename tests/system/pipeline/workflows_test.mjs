// SPDX-License-Identifier: Apache-2.0
// The workflow files, by GitHub's own parser and by the rules that keep them safe.
//
//   SOURCE_ROOT=… node workflows_test.mjs
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {
  accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from "node:fs";
import {register} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {parse} from "yaml";

// The parser is made for bundlers: it imports its JSON as node does not.
const json = `import {readFileSync} from "node:fs";
export const load = (url, context, next) => url.endsWith(".json")
  ? {format: "module", source: "export default " + readFileSync(new URL(url), "utf8"), shortCircuit: true}
  : next(url, context);`;
register(`data:text/javascript,${encodeURIComponent(json)}`);
const {NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow} =
  await import("@actions/workflow-parser");

const root = process.env.SOURCE_ROOT;
const folder = join(root, ".github/workflows");
const names = readdirSync(folder);
assert.ok(names.length > 0, `no workflow in ${folder}`);
const workflows = new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));

// What GitHub would refuse the file for.
async function faults(name, content) {
  const result = parseWorkflow({name, content}, new NoOperationTraceWriter());
  const messages = result.context.errors.getErrors().map((error) => error.message);
  if (messages.length > 0 || !result.value) return messages.length > 0 ? messages : ["no workflow"];
  const template = await convertWorkflowTemplate(result.context, result.value);
  return (template.errors ?? []).map((error) => error.Message ?? error.message);
}

function stepsOf(workflow) {
  return Object.entries(workflow.jobs).flatMap(([job, {steps}]) =>
    steps.map((step) => ({job, ...step})),
  );
}

// Whether a job may run for a fork's pull request, whatever the other parts of its condition say.
function letsForksIn(condition, triggers) {
  const closed = [/!github\.event\.pull_request(?![\w.])/g,
    /github\.event\.pull_request\.head\.repo\.full_name == github\.repository(?![\w.])/g];
  // The event of a called workflow is its caller's, which may be pull_request_target.
  const kinds = triggers.filter((trigger) => /^pull_request|^workflow_call$/.test(trigger));
  if (kinds.join() === "pull_request") closed.push(/github\.event_name != 'pull_request'/g);
  const others = [];
  const code = closed.reduce((text, each) => text.replace(each, "false"), String(condition ?? true))
    .replace(/^\$\{\{(.*)\}\}$/s, "$1")
    .replace(/!?[A-Za-z][\w.-]*(\(\))?( [!=]= ('[^']*'|[\w.-]+))?/g, (part) =>
      part === "false" || part === "true" ? part : `others[${others.push(part) - 1}]`);
  const holds = new Function("others", `return (${code})`);
  return Array.from({length: 2 ** others.length}, (_, bits) => others.map((_, each) => (bits >> each & 1) === 1))
    .some((values) => holds(values));
}

// Before a checkout there is no script.
const installsGit = "apt-get update && apt-get install --yes --no-install-recommends ca-certificates git";

// Reasons why a workflow may not be merged.
function breaches(content) {
  const workflow = parse(content);
  const found = [];
  const complain = (condition, what) => condition || found.push(what);
  const triggers = Object.keys(workflow.on);
  const privileged = triggers.includes("pull_request_target") || triggers.includes("workflow_run");
  const mayWrite = (permissions) =>
    typeof permissions !== "object" || Object.values(permissions).includes("write");
  complain(
    workflow.permissions !== undefined && !mayWrite(workflow.permissions),
    "permissions that are not read-only for all jobs",
  );
  complain(!/secrets\s*[.[]/.test(content), "a secret");
  complain(
    !/\bcomment\.sh\b/.test(content) || (triggers.length === 1 && triggers[0] === "workflow_run"),
    "a comment that does not come from a workflow_run",
  );
  for (const [name, job] of Object.entries(workflow.jobs)) {
    complain(
      job["timeout-minutes"] > 0 || job["timeout-minutes"] === "${{ inputs.timeout-minutes }}",
      `${name}: no timeout-minutes`,
    );
    // Of what a fork brings, such a job runs nothing, and does not even begin there.
    const apart = job.steps.every(({uses}) => uses === undefined) &&
      !letsForksIn(job.if, triggers);
    complain(
      !triggers.includes("pull_request") || !mayWrite(job.permissions ?? {}) || apart,
      `${name}: code of a fork may write`,
    );
    const readsForeign = job.steps.some(({run}) => /\b(fetch_reports|render|approve\w*)\.sh\b/.test(run ?? ""));
    complain(!readsForeign || !mayWrite(job.permissions ?? {}), `${name}: may write, and reads what a gate left`);
    const ofForks = triggers.some((trigger) => trigger.startsWith("pull_request"));
    const onCall = triggers.includes("workflow_call") && /inputs\.(affected-)?runner/.test(JSON.stringify(job["runs-on"]));
    if (onCall || ofForks && /vars\.GPU_RUNNER|self-hosted/.test(JSON.stringify(job["runs-on"]))) {
      // A job is left out with the one that it needs, unless its condition asks how that ended.
      const needed = /\w\(\)/.test(job.if ?? "") ? undefined : workflow.jobs[job.needs];
      const open = [job, needed].every((each) => each === undefined || letsForksIn(each.if, triggers));
      complain(!open, `${name}: code of a fork runs on our own machine`);
    }
  }
  for (const step of stepsOf(workflow)) {
    // Of this repository, as it was checked out.
    if (step.uses !== undefined && step.uses !== "./") {
      const line = content.split("\n").find((each) => each.includes(`uses: ${step.uses}`));
      complain(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line), `${step.uses}: not pinned by commit and version`);
    }
    if (step.uses?.startsWith("actions/checkout@")) {
      complain(step.with?.["persist-credentials"] !== undefined, `${step.job}: credentials stay by default`);
      complain(
        !step.with?.["persist-credentials"] || (workflow.jobs[step.job].permissions?.contents === "write"),
        `${step.job}: credentials stay`,
      );
      // Of the pull request only as data, beside the scripts that run.
      const foreign = /pull_request\.head|head_sha|head_ref|workflow_run/.test(step.with?.ref ?? "");
      complain(!privileged || !foreign || step.with.path === "change", `${step.job}: runs what a pull request brings`);
    }
    if (step.uses === "./") {
      complain(/^ci\/pipeline\/[a-z_]+\.sh$/.test(step.with.script), `no script of ci/pipeline: ${step.with.script}`);
      complain(existsSync(join(root, step.with.script ?? "")), `${step.with.script}: is not there, or not executable`);
    }
    // In other repositories there are no scripts of ours, and no expression may become a command.
    if (triggers.includes("workflow_call")) {
      complain(!step.run?.includes("${{"), `an expression in a command: ${step.run}`);
    } else if (step.run !== undefined && step.run !== installsGit) {
      const [script] = step.run.split(" ");
      complain(/^(ci|package)\/pipeline\/[a-z_]+\.sh( [\w."$]+)*$/.test(step.run.trim()), `no script of ci/pipeline: ${step.run}`);
      try {
        accessSync(join(root, script), constants.X_OK);
      } catch {
        found.push(`${script}: is not there, or not executable`);
      }
    }
  }
  return found;
}

for (const [name, content] of workflows) {
  test(`${name} is a workflow to GitHub`, async () => assert.deepEqual(await faults(name, content), []));
  test(`${name} keeps the rules`, () => assert.deepEqual(breaches(content), []));
}

test("report.yml is told of the ends of gate.yml and approve.yml", () => {
  assert.deepEqual(parse(workflows.get("report.yml")).on.workflow_run.workflows, [
    parse(workflows.get("gate.yml")).name,
    parse(workflows.get("approve.yml")).name,
  ]);
});

// What `warpgauge init` writes into repositories of others, which runs their script.
const program = process.env.WARPGAUGE;
for (const [kind, source] of [["torch", ["a.py", "import torch\n"]], ["a processor", ["CMakeLists.txt",
  "add_executable(b b.cpp)\ntarget_link_libraries(b benchmark::benchmark)\n"]], ["CUDA", ["k.cu", ""]]]) {
  test(`the pipelines that init writes for ${kind} are ones`, async (context) => {
    const place = mkdtempSync(join(tmpdir(), "warpgauge-init-"));
    context.after(() => rmSync(place, {recursive: true}));
    writeFileSync(join(place, ...source.slice(0, 1)), source[1]);
    for (const host of ["github", "gitlab"]) execFileSync(program, ["init", "--yes", "--root", place, "--host", host]);
    const content = readFileSync(join(place, ".github/workflows/warpgauge.yml"), "utf8");
    assert.deepEqual(await faults("warpgauge.yml", content), []);
    assert.deepEqual(breaches(content).filter((breach) => !/^no script|is not there/.test(breach)), []);
    // Nor would a fork's code run on the GPU's machine if somebody changed the trigger.
    const targeted = content.replace("on:\n  pull_request:", "on:\n  pull_request_target:");
    assert.notEqual(targeted, content);
    assert.doesNotMatch(breaches(targeted).join("\n"), /our own machine/);
    const job = parse(readFileSync(join(place, "ci/warpgauge.gitlab-ci.yml"), "utf8")).warpgauge;
    for (const script of [job.script.join("\n"), JSON.stringify(parse(content).jobs.gate.steps)]) {
      assert.match(script, /SCRIPT\W+ci\/warpgauge\.sh[^]*share\/warpgauge\/pipeline\/gate\.sh|pipeline\/gate\.sh[^]*SCRIPT\W+ci\/warpgauge\.sh/);
    }
    assert.equal(job.artifacts.reports.junit, "results/junit.xml");
    const whose = / &&\s+github\.event\.pull_request\.head\.repo\.full_name == github\.repository(?=\s+runs-on)/;
    for (const [guard, without] of [[whose, ""], [/steps:\n/, "steps:\n      - uses: actions/checkout@v7\n"]]) {
      const comment = content.indexOf("\n  comment:");
      const open = content.slice(0, comment) + content.slice(comment).replace(guard, without);
      assert.match(breaches(open).join("\n"), /comment: code of a fork may write/);
    }
    assert.ok(job.rules.some((rule) => rule.when === "never" && rule.if.includes("SOURCE_PROJECT_ID")));
    assert.equal(parse(readFileSync(join(place, ".gitlab-ci.yml"), "utf8")).include[0].local, "ci/warpgauge.gitlab-ci.yml");
  });
}

test("the pipelines that init writes for CUDA ask for the GPU only where the builds differ", (context) => {
  const place = mkdtempSync(join(tmpdir(), "warpgauge-init-"));
  context.after(() => rmSync(place, {recursive: true}));
  writeFileSync(join(place, "k.cu"), "");
  for (const host of ["github", "gitlab"]) execFileSync(program, ["init", "--yes", "--root", place, "--host", host]);
  const {affected, gate} = parse(readFileSync(join(place, ".github/workflows/warpgauge.yml"), "utf8")).jobs;
  const own = {head: {repo: {full_name: "a/b"}}};
  const runs = (job, event, gpu, runner = "gpu") => {
    const github = {event, event_name: event.pull_request ? "pull_request" : "push", repository: "a/b"};
    return Boolean(new Function("github", "needs", "vars", "cancelled", `return (${job.if})`)(
      github, {affected: {outputs: {gpu}}}, {GPU_RUNNER: runner}, () => false));
  };
  // After a job that failed or was left out its outputs are empty.
  for (const [gpu, asks] of [["true", true], ["false", false], ["", true]]) assert.equal(runs(gate, {pull_request: own}, gpu), asks);
  assert.equal(runs(gate, {}, ""), true);
  assert.equal(runs(affected, {pull_request: own}), true);
  assert.equal(runs(affected, {}), false, "nothing is to be merged");
  for (const job of [affected, gate]) {
    assert.equal(runs(job, {pull_request: {head: {repo: {full_name: "fork/b"}}}}, ""), false);
    assert.equal(runs(job, {pull_request: own}, "true", ""), false);
  }
  const asks = affected.steps.find(({id}) => id === "affected");
  assert.equal(affected.outputs.gpu, "${{ steps.affected.outputs.gpu }}");
  assert.match(asks.env.AFFECTED, / bash ci\/affected\.sh$/);
  const jobs = parse(readFileSync(join(place, "ci/warpgauge.gitlab-ci.yml"), "utf8"));
  assert.equal(jobs["warpgauge-affected"].variables.GATE, "ci/warpgauge.gitlab-ci.yml");
  const begins = (name, source, branch, fork = "1") => {
    const values = {WARPGAUGE_RUNNER: "gpu", CI_PIPELINE_SOURCE: source, CI_COMMIT_BRANCH: branch, CI_DEFAULT_BRANCH: "main",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: branch ? null : fork, CI_MERGE_REQUEST_PROJECT_ID: "1"};
    const rule = jobs[name].rules.find((each) => new Function("v", `return (${each.if.replace(/\$(\w+)/g, "v.$1")})`)(values));
    return rule !== undefined && rule.when !== "never";
  };
  for (const name of ["warpgauge-affected", "warpgauge-affected-gate"]) {
    assert.equal(begins(name, "merge_request_event"), true);
    assert.equal(begins(name, "merge_request_event", null, "2"), false, "a fork");
    assert.equal(begins(name, "parent_pipeline"), false, "it would start itself again");
    assert.equal(begins(name, "push", "main"), false);
  }
  assert.equal(begins("warpgauge", "merge_request_event"), false);
  assert.equal(begins("warpgauge", "parent_pipeline"), true);
  assert.equal(begins("warpgauge", "parent_pipeline", null, "2"), false);
  assert.equal(begins("warpgauge", "push", "main"), true);
});

// Runs a script of a pipeline with a `gh` that says how many artifacts there are, and logs what it is asked.
function runInit(script, place, env, gh = "") {
  writeFileSync(join(place, "gh"), `#!/bin/sh\necho "$*" >>log\n${gh}\n`, {mode: 0o755});
  return spawnSync("bash", ["--noprofile", "--norc", "-e", "-c", script], {cwd: place, encoding: "utf8",
    env: {PATH: `${place}:/usr/local/bin:/usr/bin:/bin`, RUNNER_TEMP: place, CI_PROJECT_DIR: join(place, "p"), ...env}});
}

test("the pipelines that init writes tell a missing release or artifact from a failure", (context) => {
  const place = mkdtempSync(join(tmpdir(), "warpgauge-init-"));
  context.after(() => rmSync(place, {recursive: true}));
  writeFileSync(join(place, "a.py"), "import torch\n");
  for (const host of ["github", "gitlab"]) execFileSync(program, ["init", "--yes", "--root", place, "--host", host]);
  const {gate: {steps}, comment} = parse(readFileSync(join(place, ".github/workflows/warpgauge.yml"), "utf8")).jobs;
  const gitlab = parse(readFileSync(join(place, "ci/warpgauge.gitlab-ci.yml"), "utf8")).warpgauge.script[0];
  writeFileSync(join(place, "release"), "");
  const url = `file://${place}/release`;
  for (const script of [steps.find(({name}) => name === "Install Warpgauge").run, gitlab]) {
    for (const [env, says] of [[{}, /WARPGAUGE_URL names no release/],
      [{WARPGAUGE_URL: url}, /needs the variable WARPGAUGE_SHA256/],
      [{WARPGAUGE_URL: url, WARPGAUGE_SHA256: "0".repeat(64)}, /FAILED/],
      [{WARPGAUGE_URL: `${url}d`, WARPGAUGE_SHA256: "0".repeat(64)}, /curl: /]]) {
      const ended = runInit(script, place, env);
      assert.match(ended.stdout + ended.stderr, says);
      assert.equal(ended.status, 4, JSON.stringify(env));
    }
    // One that a cache brought is not downloaded again, and is believed only by its sum.
    const kept = join(place, "build/release.tar.gz");
    execFileSync("tar", ["-czf", kept, "-C", place, "--transform=s,^,warpgauge-1/,", "a.py"]);
    const away = {WARPGAUGE_URL: "file:///nowhere", GITHUB_PATH: "/dev/null",
      WARPGAUGE_SHA256: createHash("sha256").update(readFileSync(kept)).digest("hex")};
    assert.equal(runInit(script, place, away).status, 0);
    writeFileSync(kept, "of somebody else");
    assert.equal(runInit(script, place, away).status, 4);
  }
  const posted = (gh) => {
    writeFileSync(join(place, "log"), "");
    rmSync(join(place, "results"), {recursive: true, force: true});
    const {status} = runInit(comment.steps[0].run, place, {GITHUB_RUN_ID: "7", GH_REPO: "a/b", PULL_REQUEST: "3"}, gh);
    return [status === 0, /--method POST repos\/a\/b\/issues\/3\/comments/.test(readFileSync(join(place, "log"), "utf8"))];
  };
  const count = (each, download) => `case "$1 $2" in
*runs/7/artifacts*) echo ${each} ;;
"run download") ${download} ;;
esac`;
  assert.deepEqual(posted(count(1, "mkdir results; echo slower >results/summary.md")), [true, true]);
  assert.deepEqual(posted(count(0, "exit 1")), [true, false]);
  assert.deepEqual(posted(count(1, "exit 1")), [false, false]);
  assert.deepEqual(posted("exit 1"), [false, false]);
});

// A job's expressions, as GitHub would fill them in: `event` is what happened, `needs` what went before.
function filledIn(text, event, needs = {approved: {result: "skipped", outputs: {}}}) {
  const expression = text.replace(/^\$\{\{(.*)\}\}$/, "$1").trim();
  return new Function("github", "needs", "inputs", "steps", "cancelled", "format", `return (${expression})`)(
    {event, event_name: event.name, base_ref: event.base_ref ?? ""},
    needs,
    event.inputs ?? {},
    needs,
    () => false,
    (form, word) => form.replace("{0}", word),
  );
}

test("the end of a gate is reported, and after an approval that of the gate which it started", () => {
  const {approved, render, "pull-request": report} = parse(workflows.get("report.yml")).jobs;
  const gate = {workflow_run: {event: "pull_request", id: 7, head_sha: "old", conclusion: "failure"}};
  const approve = {workflow_run: {event: "pull_request_target", id: 8, conclusion: "success"}};
  const unlabelled = {workflow_run: {...approve.workflow_run, conclusion: "skipped"}};
  const byHand = {workflow_run: {event: "workflow_dispatch", id: 9, conclusion: "success"}};
  const waited = {approved: {result: "success", outputs: {run: "10", head_sha: "new", url: "there", conclusion: "failure"}}};
  const gaveUp = {approved: {result: "failure", outputs: {}}};

  assert.ok(filledIn(approved.if, approve));
  for (const event of [gate, unlabelled, byHand]) assert.ok(!filledIn(approved.if, event));
  assert.equal(render.needs, "approved");
  assert.ok(filledIn(render.if, gate));
  assert.ok(filledIn(render.if, approve, waited));
  for (const event of [unlabelled, byHand]) assert.ok(!filledIn(render.if, event));
  assert.ok(!filledIn(render.if, approve, gaveUp));
  assert.deepEqual(report.needs, ["approved", "render"]);
  for (const [rendered, shown] of [["true", true], ["", false]]) {
    assert.equal(filledIn(report.if, gate, {approved: {}, render: {outputs: {rendered}}}), shown);
  }

  const rendering = render.steps.find(({run}) => run?.includes("render.sh"));
  assert.equal(filledIn(rendering.env.RUN, gate), 7);
  assert.equal(filledIn(rendering.env.RUN, approve, waited), "10");
  const commented = report.steps.find(({run}) => run === "ci/pipeline/comment.sh rendered");
  assert.equal(filledIn(commented.env.HEAD_SHA, gate), "old");
  assert.equal(filledIn(commented.env.HEAD_SHA, approve, waited), "new");
  assert.equal(filledIn(commented.env.RUN_URL, approve, waited), "there");
  // Of the gate, not of the approval, which succeeded.
  assert.equal(filledIn(commented.env.CONCLUSION, approve, waited), "failure");
  assert.equal(filledIn(commented.env.CONCLUSION, gate), "failure");
  const unnamed = {approved: {result: "success", outputs: {...waited.approved.outputs, conclusion: ""}}};
  assert.equal(filledIn(commented.env.CONCLUSION, approve, unnamed), "");
  const uploads = report.steps.filter(({uses}) => uses?.includes("upload-sarif"));
  assert.equal(uploads.length, 2);
  for (const upload of uploads) assert.equal(filledIn(upload.with.sha, approve, waited), "new");
});

test("a gate that an approval starts names the pull request and what it is held against", () => {
  const {jobs} = parse(workflows.get("gate.yml"));
  const gates = Object.values(jobs).flatMap(({steps}) => steps).filter(({uses}) => uses === "./");
  assert.equal(gates.length, 2);
  for (const {with: given} of gates) {
    const base = given["merge-base"].replace(/^origin\//, "");
    const started = {name: "workflow_dispatch", inputs: {pull_request: "12", base: "release"}, pull_request: {}};
    assert.equal(filledIn(given["pull-request"], started), "12");
    assert.equal(filledIn(base, started), "release");
    const pushed = {name: "pull_request", base_ref: "main", pull_request: {number: 12}};
    assert.equal(filledIn(given["pull-request"], pushed), 12);
    assert.equal(filledIn(base, pushed), "main");
  }
});

test("a GPU is asked for only where a benchmark can have been touched, and measures those", () => {
  const {build, gpu} = parse(workflows.get("gate.yml")).jobs;
  const step = (what) => build.steps.findIndex(({run, uses}) => run === what || uses?.startsWith(`actions/${what}@`));
  // A container has no git, and without it a checkout has no history.
  assert.ok(!build.container || step(installsGit) === 0 && step("checkout") === 1);
  assert.equal(build.steps[step("checkout")].with["fetch-depth"], 0);
  const asks = step("package/pipeline/affected.sh");
  assert.ok(step("ci/pipeline/build.sh") >= 0 && step("ci/pipeline/build.sh") < asks && asks < step("upload-artifact"));
  const {id, env: {AFFECTED, MERGE_BASE}} = build.steps[asks];
  assert.equal(AFFECTED, "ci/pipeline/affected.sh");
  accessSync(join(root, AFFECTED), constants.X_OK);
  assert.equal(filledIn(MERGE_BASE, {name: "pull_request", base_ref: "release"}), "origin/release");
  for (const name of ["push", "workflow_dispatch"]) assert.equal(filledIn(MERGE_BASE, {name, inputs: {base: "main"}}), "");
  for (const name of ["gpu", "filter"]) assert.equal(build.outputs[name], `\${{ steps.${id}.outputs.${name} }}`);
  assert.equal(gpu.needs, "build");
  for (const [said, runs] of [["true", true], ["false", false], ["", true], [undefined, true]]) {
    const needs = {[id]: {outputs: {gpu: said}}, build: {outputs: {gpu: said, filter: "a/.*"}}};
    // Without a word of how builds ended it is left out, too, where there was none.
    assert.equal(filledIn(gpu.if, {}, needs), runs);
    assert.doesNotMatch(gpu.if, /\(\)/);
    assert.equal(filledIn(build.steps[step("upload-artifact")].if, {}, needs), runs);
    assert.equal(filledIn(gpu.steps.find(({uses}) => uses === "./").with.filter, {}, needs), "a/.*");
  }
});

// That the checks see what they are for.
const gate = workflows.get("gate.yml");
const approve = workflows.get("approve.yml");
const report = workflows.get("report.yml");
const called = workflows.get("warpgauge.yml");
const broken = [
  ["an unknown key", gate.replace("timeout-minutes", "timeout"), /timeout/],
  ["an unknown context", gate.replace("github.base_ref", "githob.base_ref"), /githob/],
  ["a need that is not there", gate.replace("needs: build", "needs: built"), /built/],
];
for (const [what, content, message] of broken) {
  test(`${what} is seen`, async () => {
    assert.notEqual(content, gate);
    assert.match((await faults("gate.yml", content)).join("\n"), message);
  });
}
const unsafe = [
  ["a tag instead of a commit", gate.replace(/@[0-9a-f]{40} # v7\.0\.1/, "@v7"), /not pinned/],
  ["a script of its own", gate.replace("run: ci/pipeline/build.sh", "run: echo ${{ github.head_ref }}"), /no script/],
  ["an expression in a command", gate.replace("run: ci/pipeline/build.sh", "run: ci/pipeline/build.sh ${{ github.head_ref }}"), /no script/],
  ["an expression in the name of a script", gate.replace("script: ci/pipeline/gate.sh", "script: ${{ github.head_ref }}"), /no script/],
  ["an expression in a command of others", called.replace('bash -eo pipefail -c "$BUILD"', "${{ inputs.build }}"), /an expression/],
  ["a fork's code on a runner of others", called.replace(/ \(!github\.event\.pull[^]*?repository\)/, " true"), /affected: [^]*our own machine/],
  ["a fork's code where what is needed is left out", called.replace(/(?<='false' &&) \(!github\.event\.pull[^]*?repository\)/, " true"), /gate: [^]*our own machine/],
  ["a condition beside which the guard does not count", called.replace(/(?<='false' &&) \((!github\.event\.pull[^]*?repository)\)/, " $1").replace("'false' && !github", "'false' || !github"), /gate: [^]*our own machine/],
  ["a condition before the guard", called.replace("'' && (!github", "'' || (!github"), /affected: [^]*our own machine/],
  ["a guard against one kind of pull request alone", called.replaceAll("!github.event.pull_request ||", "github.event_name != 'pull_request' ||"), /our own machine/],
  ["a guard that is turned round", called.replace("full_name == github", "full_name != github"), /our own machine/],
  ["a script that is not there", gate.replace("ci/pipeline/build.sh", "ci/pipeline/no.sh"), /is not there/],
  ["no permissions", gate.replace(/permissions:\n {2}contents: read\n/, ""), /read-only/],
  ["write for all", gate.replace("contents: read", "contents: write"), /read-only/],
  ["a secret", gate.replace("vars.GPU_ARCHITECTURES", "secrets.TOKEN"), /a secret/],
  ["a fork's code on a GPU", gate.replace(/ \(github\.event_name[^]*?repository\)/, " true"), /our own machine/],
  ["credentials that stay", gate.replace("persist-credentials: false", "persist-credentials: true"), /credentials stay/],
  ["a comment by what has the pull request's code at hand", approve.replace("ci/pipeline/approve.sh", "ci/pipeline/comment.sh"), /come from a workflow_run/],
  ["what a gate left in a job that may write", report.replace("comment.sh rendered", 'render.sh "$RUN"'), /reads what a gate left/],
  ["a pull request's scripts", approve.replace("path: change", "path: ."), /what a pull request brings/],
];
for (const [what, content, message] of unsafe) {
  test(`${what} is seen`, () => {
    assert.ok(![gate, approve, report, called].includes(content));
    assert.match(breaches(content).join("\n"), message);
  });
}

test("every script that GitLab runs is there", () => {
  const pipeline = parse(readFileSync(join(root, ".gitlab-ci.yml"), "utf8"));
  const included = pipeline.include.map(({local, inputs}) => ({local, ...inputs}));
  const gates = included.filter(({local}) => local === "templates/gate.yml");
  for (const {job, pipeline: folder} of gates) {
    // What a job extends yields to rules of its own, and those of the component are its own.
    assert.ok(pipeline[job].rules, `${job}: has the rules of others`);
    accessSync(join(root, folder, "gate.sh"), constants.X_OK);
  }
  const scripts = [...Object.values(pipeline).flatMap((job) => [...job?.script ?? [], ...job?.before_script ?? []]),
    ...included.map(({script, affected}) => script ?? affected)];
  assert.ok(scripts.length >= 5);
  for (const script of scripts) {
    assert.match(script, /^ci\/pipeline\/[a-z_]+\.sh( [\w.]+)*$/);
    accessSync(join(root, script.split(" ")[0]), constants.X_OK);
  }
  assert.doesNotMatch(JSON.stringify(pipeline), /TOKEN|SECRET|PASSWORD/);
});

test("GitLab asks for a GPU only where a benchmark can have been touched", () => {
  const load = (path) => parse(readFileSync(join(root, path), "utf8"));
  const pipeline = load(".gitlab-ci.yml");
  const {inputs} = pipeline.include.find(({local}) => local === "templates/affected.yml");
  assert.equal(inputs.affected, "ci/pipeline/affected.sh");
  accessSync(join(root, inputs.pipeline, "affected.sh"), constants.X_OK);
  // Nothing else takes the runner, but the night.
  const tagged = Object.entries(pipeline).filter(([, job]) => JSON.stringify(job?.tags ?? "").includes("GPU_RUNNER"));
  assert.deepEqual(tagged.map(([name]) => name), ["nightly-gpu"]);
  for (const name of [inputs.job, `${inputs.job}-gate`]) {
    const {extends: base, rules} = pipeline[name];
    assert.equal(rules, undefined);
    assert.ok(pipeline[base].rules.some((rule) => rule.when === "never" && rule.if.includes('$GPU_RUNNER == ""')), name);
  }
  const built = pipeline[inputs.job];
  assert.deepEqual(built.before_script, ["ci/pipeline/build.sh"]);
  assert.equal(built.variables.MERGE_BASE, "$CI_MERGE_REQUEST_DIFF_BASE_SHA");
  assert.deepEqual(built.artifacts.paths, ["build.tar", "warpgauge-affected.yml"]);
  const child = load(inputs.gate);
  const [{inputs: gated}] = child.include;
  assert.deepEqual([gated.script, gated.options], ["ci/pipeline/gate.sh", "build.tar"]);
  const parent = pipeline[`${inputs.job}-gate`].variables;
  assert.equal(parent.PARENT_PIPELINE_ID, "$CI_PIPELINE_ID");
  assert.deepEqual(child[gated.job].needs, [{pipeline: "$PARENT_PIPELINE_ID", job: inputs.job}]);
  assert.deepEqual(child[gated.job].tags, ["$GPU_RUNNER"]);
  assert.equal(child[gated.job].variables.REQUIRE_GPU, "1");
});

test("what runs at night runs nothing of a pull request, and keeps its history whatever fails", () => {
  const nightly = parse(workflows.get("nightly.yml"));
  assert.deepEqual(Object.keys(nightly.on), ["schedule", "workflow_dispatch"]);
  for (const [name, {steps}] of Object.entries(nightly.jobs)) {
    const run = steps.findIndex((each) => each.with?.script === "ci/pipeline/nightly.sh");
    const step = (what) => steps.findIndex(({uses}) => uses?.startsWith(`actions/cache/${what}@`));
    assert.ok(step("restore") >= 0 && step("restore") < run && run < step("save"), name);
    assert.equal(steps[step("save")].if, "always()");
    const keys = ["restore", "save"].map((what) => steps[step(what)].with.key);
    assert.equal(keys[0], keys[1]);
    assert.ok(keys[0].startsWith(steps[step("restore")].with["restore-keys"]), "an earlier night's is found");
  }
});

test("the code of a push to main is recorded if its gate passed, and after each of our own nights", () => {
  const {on, jobs, concurrency} = parse(workflows.get("refresh.yml"));
  assert.deepEqual(on.workflow_run, {
    workflows: ["gate.yml", "nightly.yml"].map((name) => parse(workflows.get(name)).name),
    types: ["completed"],
    branches: ["main"],
  });
  const ended = (event, conclusion, name = "Gate") => ({workflow_run: {event, conclusion, name}});
  assert.ok(filledIn(jobs.approve.if, ended("push", "success")));
  assert.ok(filledIn(jobs.approve.if, ended("schedule", "success", "Nightly")));
  // A night that is red has gates that passed.
  assert.ok(filledIn(jobs.approve.if, ended("schedule", "failure", "Nightly")));
  assert.ok(filledIn(jobs.approve.if, ended("workflow_dispatch", "failure", "Nightly")));
  const others = ["pull_request", "workflow_dispatch"].map((event) => ended(event, "success"));
  // A fork's branch may be called main, and its workflow Nightly.
  others.push(ended("push", "failure"), ended("pull_request", "success", "Nightly"));
  for (const event of others) assert.ok(!filledIn(jobs.approve.if, event));
  assert.match(concurrency.group, /workflow_run\.name/);
  assert.equal(jobs.push.if, "needs.approve.outputs.patch == 'true'");
});

test("a gate asks whether GitHub knows the owners", () => {
  const {steps} = parse(workflows.get("gate.yml")).jobs.emulated;
  const check = steps.findIndex(({run}) => run === "ci/pipeline/check_owners.sh");
  assert.ok(check >= 0 && check < steps.findIndex(({uses}) => uses === "./"));
});

const owners = readFileSync(join(root, "CODEOWNERS"), "utf8").split("\n")
  .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/ +/));

test("owners are named for what approves a change, and for what a pipeline would read in place of its own", () => {
  const owned = owners.filter(([, ...names]) => names.some((name) => /^@\S/.test(name))).map(([path]) => path);
  const paths = ["/baselines/", "/benchmarks/", "/ci/", "/kernels/", "/package/", "/profiling/", "/.ci/", "/.github/",
    "/.gitlab-ci.yml", "/action.yml", "/templates/", "/CODEOWNERS", "CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "*.cmake",
    "*.cmake.in", "/build/", "/results/", "/history.sqlite*", ".gitattributes", ".gitmodules"];
  for (const path of paths) assert.ok(owned.includes(path), `nobody owns ${path}`);
  // The last line that matches counts: one without an owner would take it away again.
  assert.deepEqual(owners.filter(([, name]) => !name?.startsWith("@")), []);
});

test("what has no owner neither judges nor measures", {skip: !existsSync(join(root, ".git"))}, () => {
  // Of files that are tracked; others are nobody's change.
  const tracked = execFileSync("git", ["-c", "safe.directory=*", "-C", root, "ls-files"], {encoding: "utf8"});
  const unowned = [...new Set(tracked.trim().split("\n").map((file) => `/${file.replace(/\/.*/, "/")}`))]
    .filter((path) => !owners.some(([owned]) => owned === path || owned === path.slice(1)));
  const harmless = ["/docs/", "/tests/", "/CHANGELOG.md", "/LICENSE", "/README.md", "/.clang-format", "/.clang-tidy",
    "/.gitignore", "/.shellcheckrc"];
  assert.deepEqual(unowned.filter((path) => !harmless.includes(path)), []);
});
