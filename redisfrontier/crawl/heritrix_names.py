"""What Heritrix calls things and what they are called here: settings, policies, canonicalisation rules, beans we leave alone."""

from __future__ import annotations

from redisfrontier.policy.scope.options import snake

#: Class (without package) → the role its bean plays; a bean may also play one by its id.
ROLES = {
    "BdbFrontier": "frontier",
    "CrawlMetadata": "metadata",
    "TextSeedModule": "seeds",
    "CandidateScoper": "candidateScoper",
    "FrontierPreparer": "preparer",
    "DispositionProcessor": "disposition",
    "CrawlLimitEnforcer": "crawlLimiter",
    "PreconditionEnforcer": "preconditions",
    "CandidatesProcessor": "candidates",
    "SheetOverlaysManager": "sheetOverlaysManager",
    "Sheet": "sheet",
    "SurtPrefixesSheetAssociation": "association",
    "DecideRuledSheetAssociation": "association",
    "PropertyOverrideConfigurer": "overrides",
    "RulesCanonicalizationPolicy": "preparer.canonicalizationPolicy",
}

_FRONTIER = """queueTotalBudget balanceReplenishAmount errorPenaltyAmount precedenceFloor snoozeLongMs retryDelaySeconds maxRetries
recoveryLogEnabled maxOutlinks extractIndependently dumpPendingAtClose"""
_DISPOSITION = "delayFactor minDelayMs maxDelayMs respectCrawlDelayUpToSeconds maxPerHostBandwidthUsageKbSec"
_QUEUE = "forceQueueAssignment parallelQueues parallelQueuesRandomAssignment"


#: Role and property → our setting.
SETTINGS = {
    **{f"frontier.{n}": snake(n) for n in _FRONTIER.split()},
    **{f"disposition.{n}": snake(n) for n in _DISPOSITION.split()},
    **{f"preparer.queueAssignmentPolicy.{n}": snake(n) for n in _QUEUE.split()},
    "frontier.queuePrecedencePolicy.basePrecedence": "base_precedence",
    "frontier.queuePrecedencePolicy.incrementCounts": "increment_counts",
    "preparer.preferenceDepthHops": "preference_depth_hops",
    "preparer.preferenceEmbedHops": "preference_embed_hops",
    "preparer.queueAssignmentPolicy.limit": "queue_assignment_limit",
    "preparer.uriPrecedencePolicy.basePrecedence": "base_uri_precedence",
    "preparer.uriPrecedencePolicy.navlinksOnly": "hops_navlinks_only",
    "crawlLimiter.maxBytesDownload": "max_bytes_download",
    "crawlLimiter.maxDocumentsDownload": "max_documents_download",
    "crawlLimiter.maxTimeSeconds": "max_time_seconds",
    "preconditions.robotsValidityDurationSeconds": "robots_validity_duration_seconds",
    "metadata.robotsPolicyName": "robots_policy_name",
    "scope.logToFile": "scope_log_to_file",
    "candidateScoper.logToFile": "scope_log_to_file",
}

#: Role and property whose value is a bean → our setting and, by class, its value.
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "frontier.queuePrecedencePolicy": (
        "queue_precedence_policy",
        {
            "BaseQueuePrecedencePolicy": "base",
            "SuccessCountsQueuePrecedencePolicy": "success_counts",
            "HighestUriQueuePrecedencePolicy": "highest_uri",
        },
    ),
    "preparer.queueAssignmentPolicy": (
        "queue_assignment_policy",
        {
            "SurtAuthorityQueueAssignmentPolicy": "surt_authority",
            "SurtAuthorityQueueAssignmentPolicyWithLimits": "surt_authority_with_limits",
            "HostnameQueueAssignmentPolicy": "hostname",
            "HostnameQueueAssignmentPolicyWithLimits": "hostname_with_limits",
            "AssignmentLevelSurtQueueAssignmentPolicy": "assignment_level_surt",
            "BucketQueueAssignmentPolicy": "bucket",
        },
    ),
    "preparer.costAssignmentPolicy": (
        "cost_assignment_policy",
        {
            "UnitCostAssignmentPolicy": "unit",
            "ZeroCostAssignmentPolicy": "zero",
            "WagCostAssignmentPolicy": "wag",
            "AntiCalendarCostAssignmentPolicy": "anti_calendar",
        },
    ),
    "preparer.uriPrecedencePolicy": (
        "uri_precedence_policy",
        {
            "CostUriPrecedencePolicy": "cost",
            "BaseUriPrecedencePolicy": "base",
            "HopsUriPrecedencePolicy": "hops",
            "PreloadedUriPrecedencePolicy": "preloaded",
        },
    ),
}

CANONICALIZATION = {
    "LowercaseRule": "lowercase",
    "StripUserinfoRule": "strip_userinfo",
    "StripWWWNRule": "strip_www_n",
    "StripWWWRule": "strip_www",
    "StripSessionIDs": "strip_session_ids",
    "StripSessionCFIDs": "strip_session_cfids",
    "FixupQueryString": "fixup_query_string",
    "StripExtraSlashes": "strip_extra_slashes",
    "RegexRule": "regex",
}

#: Properties that are read and have no effect here, with the reason.
IGNORED = {
    "frontier.inbound": "not needed: there is no inbound queue, a client's schedule call goes straight to Redis",
    "frontier.outbound": "not needed: there is no outbound queue, a worker claims straight from Redis",
    "frontier.extract404s": "links of error pages are the crawler's business (worker options)",
    "frontier.maxQueuesPerReportCategory": "reports are cut by the command's --limit",
    "frontier.largestQueuesCount": "the report command takes the number itself",
    "frontier.scope": "the crawl's scope is used in any case",
    "frontier.preparer": "the preparer's settings are used in any case",
    "preparer.queueAssignmentPolicy.deferToPrevious": "a queued URI never changes its queue by itself",
    "preparer.scope": "the crawl's scope is used in any case",
    "candidateScoper.scope": "the crawl's scope is used in any case",
    "scope.logExtraInfo": "scope.log always tells hop path, via and seed",
    "disposition.forceRetire": "a crawler says it with one outcome, or an operator with `queue retire`",
    "crawlLimiter.intervalSeconds": "limits are looked at with every finish",
    "preconditions.ipValidityDurationSeconds": "name resolution is the crawler's business",
    "preconditions.calculateRobotsOnly": "robots.txt is the crawler's business; see robots_policy_name",
    "candidates.seedsRedirectNewSeedsAllowTLDs": "a seed's redirect is judged by seed_redirects alone",
    "candidates.processErrorOutlinks": "links of error pages are the crawler's business (worker options)",
}

#: Beans we leave alone: beginning of the class, or whole id → reason. The first that fits counts.
ELSEWHERE = (
    ("org.archive.modules.fetcher.", "fetching is the crawler's business (worker options)"),
    ("org.archive.modules.extractor.", "finding links is the crawler's business (worker options)"),
    ("org.archive.modules.writer.", "writing WARC files is the crawler's business (worker options)"),
    ("org.archive.modules.net.", "robots.txt and host data are kept by the crawler and in Redis"),
    ("org.archive.modules.recrawl.", "recrawling is a setting here: retention, recrawl_schedule"),
    ("org.archive.modules.credential.", "credentials are the crawler's business"),
    ("org.archive.modules.deciderules.", "a rule that no scope and no sheet refers to"),
    ("org.archive.modules.", "a processor of Heritrix' own fetch chain"),
    ("org.archive.crawler.util.", "uniqueness is a setting here: uniqueness, expected_uris, false_positive_rate"),
    ("org.archive.crawler.framework.CheckpointService", "not needed: the state lies in Redis, there is nothing to checkpoint"),
    ("org.archive.crawler.framework.ActionDirectory", "not needed: `redisfrontier uri add` and `seed add` take files while the crawl runs"),
    ("org.archive.crawler.framework.CrawlController", "threads and pauses are the crawler's and the operator's business"),
    ("org.archive.crawler.reporting.", "statistics: see `redisfrontier stats` and the reports"),
    ("org.archive.crawler.prefetch.", "a processor of Heritrix' own chain"),
    ("org.archive.crawler.postprocessor.", "a processor of Heritrix' own chain"),
    ("org.archive.crawler.", "a part of Heritrix' own engine"),
    ("org.archive.bdb.", "not needed: state lies in Redis, not in files of its own"),
    ("org.archive.spring.ConfigPathConfigurer", "paths count from the crawl file"),
    ("org.archive.spring.", "a part of Heritrix' own wiring"),
    ("org.springframework.", "a part of Spring's own wiring"),
)


def why_elsewhere(cls: str) -> str:
    """Why a bean of this class is left alone; empty for one we do not know."""
    return next((reason for start, reason in ELSEWHERE if cls.startswith(start)), "")
