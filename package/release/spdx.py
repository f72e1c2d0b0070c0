# SPDX-License-Identifier: Apache-2.0
"""The list of a release's contents as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/)."""
import datetime
import json
import re


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(component):
    return {
        "name": component["name"], "SPDXID": spdx_id("Package-" + component["name"]),
        "versionInfo": component["version"], "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": component["licence"],
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": component["url"]}],
    }


def document(version, revision, epoch, components):
    """revision: of the source, which names the document; epoch: seconds, when that was committed."""
    own = {"name": "warpgauge", "version": version, "licence": "Apache-2.0",
           "url": f"pkg:generic/warpgauge@{version}"}
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"warpgauge-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/warpgauge-{version}-{revision}",
        "creationInfo": {"created": created, "creators": ["Tool: warpgauge-release"]},
        "packages": [package(each) for each in [own, *components]],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": spdx_id("Package-warpgauge")}],
    }
    for each in components:
        made["relationships"].append({
            "spdxElementId": spdx_id("Package-warpgauge"), "relationshipType": "CONTAINS",
            "relatedSpdxElement": spdx_id("Package-" + each["name"])})
    if any("LicenseRef-NVIDIA" in each["licence"] for each in components):
        made["hasExtractedLicensingInfos"] = [{
            "licenseId": "LicenseRef-NVIDIA-CUDA-EULA", "name": "NVIDIA CUDA Toolkit EULA",
            "extractedText": "https://docs.nvidia.com/cuda/eula/"}]
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
