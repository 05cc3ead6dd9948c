#include "Cli/Output/VersionText.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"
#include "Core/Base/Database.h"
#include "Core/Base/Platform/Hash.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/Version.h"
#include "Core/Frontend/Fft.h"
#include "Core/Model/Reading/ZipArchive.h"
#include "Core/Pictures/Png.h"
#include "Core/Tensor/InstructionSets.h"
#include "Core/Tensor/Primitives.h"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace earshot::cli {

std::string versionText() {
    std::string text = fmt::format("earshot {}\nlibraries:\n", versionAndCommit());
    const std::string json = fmt::format("nlohmann-json {}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                         NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
    const std::string format =
        fmt::format("fmt {}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
    for (const std::string& library :
         {tensor::productsLibrary(), frontend::fftLibrary(), audio::fileLibrary(), audio::resamplerLibrary(),
          model::zipLibrary(), databaseLibrary(), unicodeLibrary(), platform::hashLibrary(),
          pictures::pngLibrary(), pictures::renderingLibrary(), json, format,
          std::string("CLI11 ") + CLI11_VERSION})
        if (!library.empty()) text += "  " + library + "\n";
    text += fmt::format("instruction set: {}", tensor::nameOf(tensor::bestInstructionSet()));
    const std::string products = tensor::productsInstructionSet();
    return text + (products.empty() ? "" : " (oneDNN: " + products + ")") + "\n";
}

} // namespace earshot::cli
